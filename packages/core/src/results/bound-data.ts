import type { OutputLimit } from "../contract/tool.ts";

/** A value cut to fit, and what was left out. */
export interface BoundedData {
  readonly head: unknown;
  readonly unit: "bytes" | "entries";
  readonly kept: number;
  readonly lost: number;
  /** What was left out inside a larger structure: where, and how much. */
  readonly leftOut?: Readonly<Record<string, string>>;
}

const encoder = new TextEncoder();

/** Cuts a value so that its JSON fits the limit and stays valid. `undefined` when it fits as it is. */
export function boundData(
  value: unknown,
  text: string,
  limit: Required<OutputLimit>,
): BoundedData | undefined {
  // Every entry has at least a character and a comma: short text needs no closer look.
  if (text.length * 3 <= limit.bytes && text.length <= limit.entries * 2) return undefined;
  const bytes = byteLength(text);
  if (Array.isArray(value)) {
    if (bytes <= limit.bytes && value.length <= limit.entries) return undefined;
    return cutList(value, limit);
  }
  const budget = { bytes: limit.bytes, entries: limit.entries };
  if (typeof value === "string") return bytes <= limit.bytes ? undefined : cutText(value, limit.bytes);
  if (bytes <= limit.bytes && !hasLongList(value, limit.entries)) return undefined;
  const leftOut: Record<string, string> = {};
  const head = shrink(value, "", budget, leftOut);
  const kept = byteLength(JSON.stringify(head));
  return { head, unit: "bytes", kept, lost: Math.max(0, byteLength(text) - kept), leftOut };
}

/** The longest head of at most `limit` bytes that ends with a whole line, or at least a whole character. */
export function headOf(text: string, limit: number): string {
  let end = 0;
  let bytes = 0;
  while (end < text.length) {
    const code = text.codePointAt(end) as number;
    const width = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes + width > limit) break;
    bytes += width;
    end += width === 4 ? 2 : 1;
  }
  if (end === text.length) return text;
  const line = text.lastIndexOf("\n", end);
  // A line end in the last tenth is worth the loss; one long line is cut where it must be.
  return text.slice(0, line > end * 0.9 ? line + 1 : end);
}

function cutText(text: string, limit: number): BoundedData {
  const head = headOf(text, limit);
  const kept = encoder.encode(head).length;
  return { head, unit: "bytes", kept, lost: encoder.encode(text).length - kept };
}

function cutList(list: readonly unknown[], limit: Required<OutputLimit>): BoundedData {
  const head: unknown[] = [];
  let bytes = 2;
  for (const entry of list) {
    bytes += encoder.encode(JSON.stringify(entry) ?? "null").length + 1;
    if (head.length >= limit.entries || bytes > limit.bytes) break;
    head.push(entry);
  }
  return { head, unit: "entries", kept: head.length, lost: list.length - head.length };
}

/** Keeps what fits, in order; strings and lists inside are cut, never broken. */
function shrink(
  value: unknown,
  path: string,
  budget: { bytes: number; entries: number },
  leftOut: Record<string, string>,
): unknown {
  if (typeof value === "string") {
    const head = headOf(value, Math.max(0, budget.bytes));
    if (head.length < value.length)
      leftOut[path] = `${encoder.encode(value.slice(head.length)).length} bytes`;
    budget.bytes -= encoder.encode(JSON.stringify(head)).length;
    return head;
  }
  if (typeof value !== "object" || value === null) {
    budget.bytes -= (JSON.stringify(value) ?? "null").length;
    return value;
  }
  const entries = Object.entries(value);
  const most = Array.isArray(value) ? budget.entries : entries.length;
  const kept: [string, unknown][] = [];
  for (const [key, inner] of entries) {
    if (kept.length >= most || budget.bytes <= 0) break;
    budget.bytes -= key.length + 4;
    kept.push([key, shrink(inner, `${path}/${key}`, budget, leftOut)]);
  }
  if (kept.length < entries.length)
    leftOut[path === "" ? "/" : path] = `${entries.length - kept.length} entries`;
  return Array.isArray(value) ? kept.map(([, inner]) => inner) : Object.fromEntries(kept);
}

function hasLongList(value: unknown, entries: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.length > entries;
  return Object.values(value).some((inner) => hasLongList(inner, entries));
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
