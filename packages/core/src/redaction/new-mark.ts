const MARK = /\[redacted:[A-Za-z0-9_.-]{1,100}\]/g;

/** The first mark of a replaced secret in a text that is not in the text that it replaces. */
export function newMark(text: string, before: string): string | undefined {
  for (const [mark] of text.matchAll(MARK)) if (!before.includes(mark)) return mark;
  return undefined;
}
