import { ToolFailure, type ToolOutput, toolOutput } from "@toolkeep/core";
import { harmlessText, unlessThrown } from "@toolkeep/core/internal";
import { numberLines } from "./number-lines.ts";
import type { OpenedSource } from "./opened-source.ts";
import { markOf } from "./text-form.ts";

/** Which part of a text to show. */
export interface TextQuery {
  readonly path: string;
  /** The first line, page or cell, counted from 1. */
  readonly offset?: number;
  readonly limit?: number;
  readonly byteOffset?: number;
  readonly byteLimit?: number;
  /** The most bytes of the file shown at once. */
  readonly mostBytes: number;
}

/** Shows lines with their numbers. Returns `undefined` for bytes that are not UTF-8. */
export async function showLines(
  source: OpenedSource,
  query: TextQuery,
): Promise<string | ToolOutput | undefined> {
  const { path, offset = 1, limit = Number.POSITIVE_INFINITY, mostBytes } = query;
  if (source.head.length === markOf(source.head).markBytes) return `${path} is empty.`;
  const start = await seekLine(source, query);
  const window = await source.read({ offset: start, length: mostBytes });
  if (window.length === 0) throw pastEnd(path, `line ${offset}`);
  const isEnd = source.size === undefined ? window.length < mostBytes : start + window.length >= source.size;
  const most = { most: limit, lineBytes: LINE_BYTES, outBytes: mostBytes * 2 };
  const shown = numberLines(window, { first: offset, ...most, base: start, isEnd });
  if (shown === undefined) return undefined;
  const next = start + shown.bytes;
  const lines = shown.text;
  if (isEnd && shown.bytes === window.length) return offset === 1 ? lines : `${lines}\n\n(End of ${path}.)`;
  const last = offset + shown.lines - 1;
  const note = `(Lines ${offset} to ${last}. There is more: continue with offset ${last + 1}.)`;
  const text = `${lines}\n\n${note}`;
  return shown.lines >= limit ? text : cut(text, { query, kept: shown.bytes, next, size: source.size });
}

/** Shows bytes as text without line numbers, in whole characters. Returns `undefined` for bytes that are not UTF-8. */
export async function showBytes(
  source: OpenedSource,
  query: TextQuery,
): Promise<string | ToolOutput | undefined> {
  const { path, byteOffset = 0, byteLimit = query.mostBytes, mostBytes } = query;
  const length = Math.min(Math.max(byteLimit, FEWEST_BYTES), mostBytes);
  const bytes = await source.read({ offset: byteOffset, length });
  if (bytes.length === 0 && byteOffset > 0) throw pastEnd(path, `byte ${byteOffset}`);
  if (bytes.includes(0)) return undefined;
  const isEnd = source.size === undefined ? bytes.length < length : byteOffset + bytes.length >= source.size;
  const start = byteOffset === 0 ? 0 : firstWhole(bytes);
  const end = isEnd ? bytes.length : lastWhole(bytes, start);
  const text = unlessThrown(() =>
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start, end)),
  );
  if (text === undefined) return undefined;
  const next = byteOffset + end;
  const of = source.size === undefined ? "" : ` of ${source.size}`;
  const more = isEnd ? "" : ` Continue with byte_offset ${next}.`;
  const shown = `${harmlessText(text)}\n\n(Bytes ${byteOffset + start} to ${next - 1}${of}.${more})`;
  const isCut = byteLimit >= mostBytes && !isEnd;
  return isCut ? cut(shown, { query, kept: end - start, next, size: source.size }) : shown;
}

const LINE_BYTES = 2_000;
/** Leaves space for whole characters. */
const FEWEST_BYTES = 16;
const CHUNK = 1_024 * 1_024;
const NEWLINE = 0x0a;

/** The offset of the first requested line. @throws ToolFailure for a line beyond the end. */
async function seekLine(source: OpenedSource, { path, offset = 1 }: TextQuery): Promise<number> {
  let line = 1;
  let base = markOf(source.head).markBytes;
  while (line < offset) {
    const chunk = await source.read({ offset: base, length: CHUNK });
    let at = 0;
    while (line < offset) {
      const newline = chunk.indexOf(NEWLINE, at);
      if (newline === -1) break;
      line += 1;
      at = newline + 1;
    }
    const isAtEnd = chunk.length < CHUNK && (line < offset || at === chunk.length);
    if (isAtEnd) throw pastEnd(path, `line ${offset}`);
    base += line < offset ? chunk.length : at;
  }
  return base;
}

/** The offset of the first character that is complete. */
function firstWhole(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isWithin(bytes[start])) start += 1;
  return start;
}

/** The end of the last complete character. A character that fills the whole range stays. */
function lastWhole(bytes: Uint8Array, start: number): number {
  let last = bytes.length - 1;
  while (last > start && bytes.length - last < 4 && isWithin(bytes[last])) last -= 1;
  const isWhole = last <= start || widthOf(bytes[last] as number) <= bytes.length - last;
  return isWhole ? bytes.length : last;
}

/** Whether a byte continues a character. */
function isWithin(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function widthOf(byte: number): number {
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

interface CutText {
  readonly query: TextQuery;
  readonly kept: number;
  readonly next: number;
  readonly size: number | undefined;
}

/** The limit came from the tool, not from the model. */
function cut(text: string, { query: { path }, kept, next, size }: CutText): string | ToolOutput {
  if (size === undefined) return text;
  return toolOutput({ data: text, truncation: { by: "tool", unit: "bytes", kept, lost: size - next, path } });
}

function pastEnd(path: string, what: string): ToolFailure {
  return new ToolFailure("invalid_arguments", `${JSON.stringify(path)} ends before ${what}.`, {
    hint: "Use a smaller offset.",
  });
}
