import type { OutputLimit } from "../contract/tool/tool.ts";

/** A value cut to fit, of the same type, and what was left out. */
export interface BoundedData {
  readonly head: unknown;
  readonly unit: "bytes" | "entries";
  readonly kept: number;
  readonly lost: number;
  /** What was left out inside a larger structure: where, and how much. */
  readonly leftOut?: Readonly<Record<string, string>>;
}

/** The value does not fit and cannot be cut: what is left would not have its type. */
export const TOO_LARGE = Symbol("too large");

const encoder = new TextEncoder();

/**
 * Cuts a value so that its JSON fits the limit. It stays what it was: a text is a text, a list has fewer entries, and an
 * object has all its fields, of which the long texts and lists are cut. `undefined` when it fits as it is.
 */
export function boundData(
  value: unknown,
  text: string,
  limit: Required<OutputLimit>,
): BoundedData | typeof TOO_LARGE | undefined {
  // Every entry has at least a character and a comma: short text needs no closer look.
  if (text.length * 3 <= limit.bytes && text.length <= limit.entries * 2) return undefined;
  const bytes = byteLength(text);
  if (typeof value === "string") return bytes <= limit.bytes ? undefined : cutText(value, limit.bytes);
  if (bytes <= limit.bytes && !hasLongList(value, limit.entries)) return undefined;
  const leftOut: Record<string, string> = {};
  const head = cut(value, { bytes: limit.bytes, entries: limit.entries, path: "", leftOut });
  if (head === TOO_LARGE) return TOO_LARGE;
  if (Array.isArray(value) && Array.isArray(head))
    return { head, unit: "entries", kept: head.length, lost: value.length - head.length, ...inside(leftOut) };
  const kept = byteLength(JSON.stringify(head));
  return { head, unit: "bytes", kept, lost: Math.max(0, bytes - kept), leftOut };
}

/** What was left out beneath the top. */
function inside(leftOut: Readonly<Record<string, string>>): Pick<BoundedData, "leftOut"> {
  const { "/": _top, ...beneath } = leftOut;
  return Object.keys(beneath).length === 0 ? {} : { leftOut: beneath };
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
  const line = text.lastIndexOf("\n", end - 1);
  // A line end in the last tenth is worth the loss; one long line is cut where it must be.
  return text.slice(0, line > end * 0.9 ? line + 1 : end);
}

function cutText(text: string, limit: number): BoundedData {
  const head = headOf(text, limit);
  const kept = byteLength(head);
  return { head, unit: "bytes", kept, lost: byteLength(text) - kept };
}

/** What a value has to fit into. */
interface Budget {
  readonly bytes: number;
  readonly entries: number;
  readonly path: string;
  readonly leftOut: Record<string, string>;
}

/** Shorter texts are names, ids and the like: half of one says something else. */
const SHORTEST_CUT = 200;

function fit(value: unknown, budget: Budget): unknown {
  return sizeOf(value) <= budget.bytes && !hasLongList(value, budget.entries) ? value : cut(value, budget);
}

function cut(value: unknown, budget: Budget): unknown {
  if (typeof value === "string") return fitText(value, budget);
  if (Array.isArray(value)) return fitList(value, budget);
  return typeof value === "object" && value !== null ? fitFields(value, budget) : TOO_LARGE;
}

function fitText(text: string, { bytes, path, leftOut }: Budget): unknown {
  if (bytes < SHORTEST_CUT) return TOO_LARGE;
  let head = headOf(text, bytes);
  // Escapes count too.
  for (let size = sizeOf(head); size > bytes; size = sizeOf(head))
    head = headOf(head, Math.floor((byteLength(head) * bytes) / (size + 1)));
  leftOut[pointer(path)] = `${byteLength(text) - byteLength(head)} bytes`;
  return head;
}

/** Whole entries, as many as fit; of the first one, what fits of it. */
function fitList(list: readonly unknown[], budget: Budget): unknown {
  const { path, leftOut } = budget;
  const head: unknown[] = [];
  let bytes = budget.bytes - 2;
  for (const entry of list.slice(0, budget.entries)) {
    const isSmall = sizeOf(entry) < bytes;
    if (!isSmall && head.length > 0) break;
    const isWhole = isSmall && !hasLongList(entry, budget.entries);
    const kept = isWhole
      ? entry
      : cut(entry, { ...budget, bytes: bytes - 1, path: `${path}/${head.length}` });
    if (kept === TOO_LARGE) break;
    head.push(kept);
    bytes -= sizeOf(kept) + 1;
  }
  if (head.length === 0 && list.length > 0) return TOO_LARGE;
  if (head.length < list.length) leftOut[pointer(path)] = `${list.length - head.length} entries`;
  return head;
}

/** Every field stays. Those that are small stay whole, and the others share the bytes that are left. */
function fitFields(value: object, budget: Budget): unknown {
  const fields = Object.entries(value).map(([key, inner]) => ({ key, inner, size: sizeOf(inner) }));
  let bytes = budget.bytes - 2 - fields.reduce((sum, { key }) => sum + sizeOf(key) + 2, 0);
  let open = fields.length;
  const made = new Map<string, unknown>();
  for (const { key, inner, size } of fields.toSorted((one, other) => one.size - other.size)) {
    const path = `${budget.path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const kept = fit(inner, { ...budget, bytes: Math.min(size, Math.floor(bytes / open)), path });
    if (kept === TOO_LARGE) return TOO_LARGE;
    made.set(key, kept);
    bytes -= sizeOf(kept);
    open -= 1;
  }
  return Object.fromEntries(fields.map(({ key }) => [key, made.get(key)]));
}

function pointer(path: string): string {
  return path === "" ? "/" : path;
}

function hasLongList(value: unknown, entries: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) && value.length > entries) return true;
  return Object.values(value).some((inner) => hasLongList(inner, entries));
}

function sizeOf(value: unknown): number {
  return byteLength(JSON.stringify(value) ?? "null");
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
