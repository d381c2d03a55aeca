import type { RunningCall } from "../../turn/running-call.ts";

/** What a tool returned, as JSON. */
export interface ReadData {
  readonly data?: unknown;
  /** Missing when there is nothing to say. */
  readonly text?: string | undefined;
  readonly isJson: boolean;
}

/** The data as JSON without secrets, and apart from the tool's own objects, which the tool may go on changing. */
export function readData(value: unknown, running: RunningCall): ReadData {
  if (isForeign(value)) return { isJson: false };
  try {
    const raw = JSON.stringify(value);
    if (raw === undefined) return { isJson: value === undefined };
    const text = running.turn.runtime.redactor.redactJson(raw);
    return { data: text === raw ? detached(value, text) : JSON.parse(text), text, isJson: true };
  } catch {
    return { isJson: false };
  }
}

/** A value that reads the same as its JSON. What holds nothing but scalars is copied; anything else is read back. */
function detached(value: unknown, text: string): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return JSON.parse(text);
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    const isScalar = typeof inner === "string" || typeof inner === "boolean" || Number.isFinite(inner);
    if (!isScalar || key === "__proto__" || key === "toJSON") return JSON.parse(text);
    // JSON knows one zero.
    copy[key] = inner === 0 ? 0 : inner;
  }
  return copy;
}

/** Maps, responses and the like would silently become `{}`. */
function isForeign(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype !== Object.prototype &&
    prototype !== null &&
    !("toJSON" in value) &&
    Object.keys(value).length === 0
  );
}
