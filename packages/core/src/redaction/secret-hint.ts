/**
 * Every shape has one of these in it, so that a text without them needs no closer look. Each begins with a character
 * that is rare in text and looks back from there: the engine skips to the next such character many at a time, and it
 * cannot do so where an expression begins with a frequent letter. None begins with a dash: tables have rows of them.
 */
export const SECRET_HINTS: readonly string[] = [
  "BEGIN(?<=---- ?BEGIN)",
  String.raw`kty\\*"`,
  "k(?<=sk)-",
  "[Xx]-(?:[Aa]mz|[Gg]oog)-",
  "xox[abeprs]-",
  "Private-Lines:",
  "glpat-",
  "=(?<=[?&;]sig=|[?&;, ]Signature=)",
  "_(?<=(?:gh[pousr]|github_pat|npm|[rs]k_live)_)",
  "I(?<=A[KS]I)A",
  "I(?<=AI)za",
  "J(?<=eyJ)",
  String.raw`@(?<=:\/\/[^\s\/:@]{1,100}:[^\s\/@]{3,200}@)`,
];

const HINT = new RegExp(SECRET_HINTS.join("|"));

/** Whether a text may have a secret of a known shape. */
export function mayHaveSecret(text: string): boolean {
  return HINT.test(text);
}
