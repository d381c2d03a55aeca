/**
 * What tools and languages put between the lines of a key: blanks, quotes and commas of a list of lines, `$` of
 * `cat -A`, colours of a terminal, line numbers, and line ends as JSON, addresses and HTML write them. None of it alone
 * belongs to a key: it does where the line of a key follows.
 */
const COLOUR = String.raw`(?:\u001B|\\{1,32}(?:u001[Bb]|x1[Bb]|033|e))\[[0-9;:]{0,20}[A-Za-z]`;
const WRITTEN = String.raw`\\{1,32}(?:[nrt]|u00(?:0[AaDd9]|2[027])|x0[AaDd])?|%0[AaDd9]|%2[02]|<br ?\/?>|&#(?:10|13|[xX]0?[AaDd]);`;
const NUMBER = String.raw`\d{1,7}(?![A-Za-z0-9+\/=%])`;
const SIGN = "[\"'`,;:$|+>#*()\\[\\]\u2502\u2192]|-(?!----)";
const NOISE = new RegExp(`(?:${COLOUR}|${WRITTEN}|${NUMBER}|${SIGN}|[\\p{Z}\\p{Cc}\\p{Cf}]){1,120}`, "uy");

/** At the end of a line, before the line end itself. */
export const TRAILING = `(?:${COLOUR}|[ \\t"'\`,;$|+]){0,32}`;

/** Where such signs end that begin at `at`; `at` where there are none. */
export function afterNoise(text: string, at: number): number {
  NOISE.lastIndex = at;
  return NOISE.test(text) ? NOISE.lastIndex : at;
}
