/** A text to be looked through: its bytes in UTF-8, and the same as a string with one character for each byte. */
export interface SearchedText {
  readonly bytes: Uint8Array;
  /** The engine looks through strings far faster than our own steps go over bytes. */
  readonly narrow: string;
}

export function searchedText(bytes: Uint8Array): SearchedText {
  return { bytes, narrow: narrowed(bytes) };
}

/** One character for each byte, and never the same one for two of them. */
export function narrowed(bytes: Uint8Array): string {
  return NARROW.decode(bytes);
}

const NARROW = new TextDecoder("latin1");

/** How many lines end within a part of a text. */
export function countLines({ narrow }: SearchedText, start: number, end: number): number {
  let lines = 0;
  for (let at = narrow.indexOf("\n", start); at !== -1 && at < end; at = narrow.indexOf("\n", at + 1))
    lines += 1;
  return lines;
}

export function startOfLine({ narrow }: SearchedText, at: number): number {
  return at === 0 ? 0 : narrow.lastIndexOf("\n", at - 1) + 1;
}

/** Behind its line ending. */
export function endOfLine({ narrow }: SearchedText, at: number): number {
  const newline = narrow.indexOf("\n", at);
  return newline === -1 ? narrow.length : newline + 1;
}
