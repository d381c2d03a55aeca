const SPACE = /[\s\p{Cc}\u2028\u2029]+/gu;

/** A text that cannot look like another line of the prompt. */
export function oneLine(text: string): string {
  return text.replaceAll(SPACE, " ").trim();
}
