import type { ProtectedPaths } from "../../../contract/io/resolve-effects.ts";
import type { CheckedCall } from "../../../contract/stages/call.ts";
import { alternativesOf, compileGlob } from "../../../policy/patterns/compile-glob.ts";
import type { Turn } from "../../turn/turn.ts";

/** The files beneath the roots that the rules have something against, as for a tree that is read in part. */
export function protectedPaths(call: CheckedCall, { runtime, principal }: Turn): ProtectedPaths {
  const context = runtime.sessionState.of(principal);
  const { roots } = context;
  const effects = roots.map((root) => ({
    capability: "fs.read",
    target: `${root.replace(/\/$/, "")}/**`,
    known: "inferred" as const,
    partial: true as const,
  }));
  const written = runtime.authorizer.leavesOut?.({ ...call, effects }, context) ?? [];
  const patterns = written.map(compileGlob);
  const mayConcern = quickly(written);
  return {
    roots,
    isProtected: (path) => mayConcern(path) && patterns.some((pattern) => pattern.mayMatch(path, "path")),
  };
}

const WILD = /[*?{]/;

/**
 * A test that most paths of a tree fail: a path that a pattern matches contains what stands in the pattern between its
 * last wildcards.
 */
function quickly(patterns: readonly string[]): (path: string) => boolean {
  const texts = new Set(patterns.flatMap((pattern) => (alternativesOf(pattern) ?? [""]).map(lastText)));
  if (texts.has("")) return () => true;
  const needed = [...texts];
  return (path) => WILD.test(path) || path.length > LONGEST || needed.some((text) => path.includes(text));
}

const LONGEST = 4_096;

function lastText(pattern: string): string {
  return pattern.split(/[/*?]+/).findLast((text) => text !== "") ?? "";
}
