import { unlessThrown } from "@toolkeep/core/internal";

/** Numbers lines, and cuts long ones, until the last requested one. Returns `undefined` for bytes that are not UTF-8. */
export function numberEachLine(bytes: Uint8Array, options: NumberOptions): NumberedLines | undefined {
  const { first, most, lineBytes, outBytes, base, isEnd } = options;
  const out = new Uint8Array(Math.min(bytes.length * WIDEST, outBytes) + MARGIN);
  let to = 0;
  let at = 0;
  let lines = 0;
  while (at < bytes.length && lines < most && to + (bytes.length - at) + MARGIN <= out.length) {
    const lineTo = to;
    const lineAt = at;
    to = writeNumber(out, to, first + lines);
    const textTo = to;
    let byte = -1;
    for (; at < bytes.length; at += 1) {
      byte = bytes[at] as number;
      if (byte === NEWLINE) break;
      if (byte === 0) return undefined;
      out[to] = byte;
      to += 1;
    }
    const isWhole = byte === NEWLINE || isEnd;
    if (!isWhole && lines > 0) {
      to = lineTo;
      at = lineAt;
      break;
    }
    if (byte === NEWLINE && to > textTo && out[to - 1] === RETURN) to -= 1;
    if (to - textTo > lineBytes || !isWhole)
      to = cutLine(out, { from: textTo, to, lineBytes, base: base + lineAt });
    out[to] = NEWLINE;
    to += 1;
    at += byte === NEWLINE ? 1 : 0;
    lines += 1;
  }
  const text = decoded(out.subarray(0, Math.max(0, to - 1)));
  return text === undefined ? undefined : { text, lines, bytes: at };
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const ZERO = 0x30;
const WIDTH = 6;
/** How much longer an empty line becomes. */
const WIDEST = 10;
/** Space for a line number and for the note on a line that was cut. */
const MARGIN = 256;

function writeNumber(out: Uint8Array, to: number, number: number): number {
  const width = Math.max(WIDTH, Math.floor(Math.log10(number)) + 1);
  let rest = number;
  for (let at = to + width - 1; at >= to; at -= 1) {
    out[at] = rest > 0 ? ZERO + (rest % 10) : SPACE;
    rest = Math.floor(rest / 10);
  }
  out[to + width] = TAB;
  return to + width + 1;
}

interface LongLine {
  /** Where its text is in the output. */
  readonly from: number;
  readonly to: number;
  readonly lineBytes: number;
  /** The offset of the line in its file. */
  readonly base: number;
}

/** Keeps whole characters and notes where the rest of the line is. */
function cutLine(out: Uint8Array, { from, to, lineBytes, base }: LongLine): number {
  let end = Math.min(to, from + lineBytes);
  while (end > from && ((out[end] as number) & 0xc0) === 0x80) end -= 1;
  const note = ` … [the line continues at byte_offset ${base + end - from}]`;
  return end + new TextEncoder().encodeInto(note, out.subarray(end)).written;
}

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function decoded(bytes: Uint8Array): string | undefined {
  return unlessThrown(() => DECODER.decode(bytes));
}

export interface NumberedLines {
  /** Safe on a screen, and hides nothing from a model. */
  readonly text: string;
  readonly lines: number;
  /** The length of these lines in bytes, with their line endings. */
  readonly bytes: number;
}

export interface NumberOptions {
  /** The number of the first line. */
  readonly first: number;
  readonly most: number;
  /** The longest part of one line in bytes; the rest is counted. */
  readonly lineBytes: number;
  /** The approximate limit of the output in bytes. */
  readonly outBytes: number;
  /** The offset of the bytes in their file. */
  readonly base: number;
  /** The bytes reach the end of the file. Otherwise a last line without a line ending is incomplete. */
  readonly isEnd: boolean;
}
