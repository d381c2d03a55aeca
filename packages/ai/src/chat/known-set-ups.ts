import type { Diagnostic, SessionOptions } from "@toolkeep/core";
import { isRecord } from "@toolkeep/core/internal";

/** What a chat is governed with, apart from whose chat it is. */
type SetUp = Omit<SessionOptions, "id" | "store" | "principal"> & { readonly declared: object };

interface KnownSetUp {
  readonly setUp: SetUp;
  readonly diagnostics: readonly Diagnostic[];
}

/** Tools of one object are seldom governed in many ways at once. */
const MOST_KNOWN = 8;
const known = new WeakMap<object, readonly KnownSetUp[]>();

/**
 * What is wrong with a set-up, if the same one was looked at before: a server governs its tools for each request, with
 * options that it writes anew. Functions and instances of classes are the same if they are identical.
 */
export function knownDiagnostics(tools: object, setUp: SetUp): readonly Diagnostic[] | undefined {
  return known.get(tools)?.find((one) => isSame(one.setUp, setUp))?.diagnostics;
}

export function rememberDiagnostics(tools: object, setUp: SetUp, diagnostics: readonly Diagnostic[]): void {
  known.set(tools, [{ setUp, diagnostics }, ...(known.get(tools) ?? []).slice(0, MOST_KNOWN - 1)]);
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, index) => isSame(value, other[index]));
  if (!isPlain(one) || !isPlain(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => key in other && isSame(one[key], other[key]))
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.getPrototypeOf(value) === Object.prototype;
}
