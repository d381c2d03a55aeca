import { harmlessText } from "@toolkeep/core/internal";
import { decoded, type NumberedLines, type NumberOptions, numberEachLine } from "./number-each-line.ts";

/** Numbers lines as `cat -n` does. Returns `undefined` for bytes that are not UTF-8. */
export function numberLines(bytes: Uint8Array, options: NumberOptions): NumberedLines | undefined {
  return numberAtOnce(bytes, options) ?? harmless(numberEachLine(bytes, options));
}

function harmless(numbered: NumberedLines | undefined): NumberedLines | undefined {
  return numbered && { ...numbered, text: harmlessText(numbered.text) };
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** The largest size of a character, and of a line number with its separator. */
const WIDEST_CHARACTER = 3;
const WIDEST_NUMBER = 16;

/** A faster path where all lines are wanted, none is too long and none hides anything; `undefined` otherwise. */
function numberAtOnce(bytes: Uint8Array, options: NumberOptions): NumberedLines | undefined {
  const { first, most, lineBytes, outBytes, isEnd } = options;
  const end = isEnd ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
  if (most !== Number.POSITIVE_INFINITY || end === 0) return undefined;
  const whole = decoded(bytes.subarray(0, end - lineEnding(bytes, end)));
  if (whole === undefined || whole.includes("\0")) return undefined;
  const plain = whole.includes("\r") ? whole.replaceAll("\r\n", "\n") : whole;
  // Before it is taken apart: numbers and line endings hide nothing.
  if (harmlessText(plain) !== plain) return undefined;
  let text = "";
  let lines = 0;
  let longest = 0;
  for (let start = 0; start <= plain.length; lines += 1) {
    const newline = plain.indexOf("\n", start);
    const next = newline === -1 ? plain.length + 1 : newline + 1;
    longest = Math.max(longest, next - start);
    text += numberOf(first + lines) + plain.slice(start, next);
    start = next;
  }
  const isTooLong = longest * WIDEST_CHARACTER > lineBytes || end + lines * WIDEST_NUMBER > outBytes;
  return isTooLong ? undefined : { text, lines, bytes: end };
}

/** The length of the line ending at the end. */
function lineEnding(bytes: Uint8Array, end: number): number {
  if (bytes[end - 1] !== NEWLINE) return 0;
  return bytes[end - 2] === RETURN ? 2 : 1;
}

const MOST_KEPT = 20_000;
const NUMBERS: string[] = [];

/** Cached: the same few thousand prefixes occur in every file. */
function numberOf(line: number): string {
  const kept = NUMBERS[line];
  if (kept !== undefined) return kept;
  const made = `${String(line).padStart(6)}\t`;
  if (line < MOST_KEPT) NUMBERS[line] = made;
  return made;
}
