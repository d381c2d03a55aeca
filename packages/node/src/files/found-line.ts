/** One line that ripgrep wrote, taken apart. */
export interface FoundLine {
  readonly path: string;
  readonly line: number;
  /** Where the line begins, in bytes from the beginning of the text. */
  readonly offset: number;
  readonly isContext: boolean;
  readonly bytes: Buffer;
}

/** The options whose output `foundLine` reads. */
export const FOUND_LINES = [
  "--no-heading",
  "--with-filename",
  "--line-number",
  "--byte-offset",
  "--null",
  "--no-context-separator",
] as const;

const COLON = 58;
const DASH = 45;

/** Reads `path NUL line : offset : text`, with dashes for a line around a match. `undefined` for its remarks. */
export function foundLine(bytes: Buffer): FoundLine | undefined {
  const name = bytes.indexOf(0);
  if (name === -1) return undefined;
  const line = numberAt(bytes, name + 1);
  const offset = line && numberAt(bytes, line.end + 1);
  if (line === undefined || offset === undefined) return undefined;
  return {
    path: bytes.toString("utf8", 0, name),
    line: line.value,
    offset: offset.value,
    isContext: bytes[line.end] === DASH,
    bytes: bytes.subarray(offset.end + 1),
  };
}

/** The number that begins there and ends with a colon or a dash. */
function numberAt(
  bytes: Buffer,
  start: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  let end = start;
  for (; end < bytes.length; end += 1) {
    const digit = (bytes[end] as number) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  const isEnded = bytes[end] === COLON || bytes[end] === DASH;
  return isEnded && end > start ? { value, end } : undefined;
}
