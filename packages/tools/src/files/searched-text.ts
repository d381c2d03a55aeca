/** A text to search: its UTF-8 bytes, and the same as a string with one character for each byte. */
export interface SearchedText {
  readonly bytes: Uint8Array;
  /** The engine searches strings much faster than our own loops search bytes. */
  readonly narrow: string;
}

export function searchedText(bytes: Uint8Array): SearchedText {
  return { bytes, narrow: narrowed(bytes) };
}

/** One distinct character for each byte value. */
export function narrowed(bytes: Uint8Array): string {
  return NARROW.decode(bytes);
}

const NARROW = new TextDecoder("latin1");

/** Counts the line endings within a part of a text. */
export function countLines({ narrow }: SearchedText, start: number, end: number): number {
  let lines = 0;
  for (let at = narrow.indexOf("\n", start); at !== -1 && at < end; at = narrow.indexOf("\n", at + 1))
    lines += 1;
  return lines;
}

export function startOfLine({ narrow }: SearchedText, at: number): number {
  return at === 0 ? 0 : narrow.lastIndexOf("\n", at - 1) + 1;
}

/** The offset after its line ending. */
export function endOfLine({ narrow }: SearchedText, at: number): number {
  const newline = narrow.indexOf("\n", at);
  return newline === -1 ? narrow.length : newline + 1;
}
