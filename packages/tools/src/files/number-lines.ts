import { numberEachLine } from "./number-each-line.ts";

export interface NumberOptions {
  /** The number of the first line. */
  readonly first: number;
  readonly most: number;
  /** Most bytes of one line; the rest of it is counted. */
  readonly lineBytes: number;
  /** About the most bytes that are given. */
  readonly outBytes: number;
  /** Where the bytes begin in their file. */
  readonly base: number;
  /** The bytes go up to the end. Otherwise a last line without an ending is not whole. */
  readonly isEnd: boolean;
}

export interface NumberedLines {
  readonly text: string;
  readonly lines: number;
  /** How many bytes these lines are, with their endings. */
  readonly bytes: number;
}

/** Lines with their numbers, as `cat -n` shows them; `undefined` for bytes that are no text in UTF-8. */
export function numberLines(bytes: Uint8Array, options: NumberOptions): NumberedLines | undefined {
  return numberAtOnce(bytes, options) ?? numberEachLine(bytes, options);
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** Most bytes of a character, and of a number with what is around it. */
const WIDEST_CHARACTER = 3;
const WIDEST_NUMBER = 16;

/** Far faster, for lines that are all wanted and not too long. `undefined`: there are others. */
function numberAtOnce(bytes: Uint8Array, options: NumberOptions): NumberedLines | undefined {
  const { first, most, lineBytes, outBytes, isEnd } = options;
  const end = isEnd ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
  if (most !== Number.POSITIVE_INFINITY || end === 0) return undefined;
  const whole = decoded(bytes.subarray(0, end - lineEnding(bytes, end)));
  if (whole === undefined || whole.includes("\0")) return undefined;
  const plain = whole.includes("\r") ? whole.replaceAll("\r\n", "\n") : whole;
  let lines = 1;
  let last = -1;
  let longest = 0;
  const text = plain.replaceAll("\n", (_, at: number) => {
    if (at - last > longest) longest = at - last;
    last = at;
    lines += 1;
    return `\n${numberOf(first + lines - 1)}`;
  });
  longest = Math.max(longest, plain.length - last);
  const isTooLong = longest * WIDEST_CHARACTER > lineBytes || end + lines * WIDEST_NUMBER > outBytes;
  return isTooLong ? undefined : { text: numberOf(first) + text, lines, bytes: end };
}

/** How many bytes of the end are a line ending. */
function lineEnding(bytes: Uint8Array, end: number): number {
  if (bytes[end - 1] !== NEWLINE) return 0;
  return bytes[end - 2] === RETURN ? 2 : 1;
}

const MOST_KEPT = 20_000;
const NUMBERS: string[] = [];

/** The same few thousand come again and again. */
function numberOf(line: number): string {
  const kept = NUMBERS[line];
  if (kept !== undefined) return kept;
  const made = `${String(line).padStart(6)}\t`;
  if (line < MOST_KEPT) NUMBERS[line] = made;
  return made;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
