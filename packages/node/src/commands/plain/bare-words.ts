/** One command. Its words consist of letters, digits and signs that mean themselves to every shell, with one blank between. */
const BARE_WORDS = /^[A-Za-z][\w-]*(?: [\w./@:,+-]+)*$/;

const NAMES =
  "if then elif else fi for while until do done case esac in select function coproc time [[".split(" ");
export const KEYWORDS: ReadonlySet<string> = new Set([...NAMES, "!", "{", "}"]);

/** First words that are no commands to bash, or that its grammar reads in a way of their own. */
const OWN_GRAMMAR: ReadonlySet<string> = new Set([
  ...KEYWORDS,
  ..."declare typeset export readonly local unset unsetenv let test".split(" "),
]);

/** Whether bash splits a line at its blanks, and parsers cannot disagree: loading the second one takes long. */
export function isBareWords(line: string): boolean {
  return BARE_WORDS.test(line) && !OWN_GRAMMAR.has(line.split(" ", 1)[0] ?? "");
}
