import type { CheckedCall } from "../contract/call.ts";
import type { ProtectedPaths } from "../contract/resolve-effects.ts";
import { compileGlob } from "../policy/patterns/compile-glob.ts";
import type { Turn } from "./turn.ts";

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
  const patterns = (runtime.authorizer.leavesOut?.({ ...call, effects }, context) ?? []).map(compileGlob);
  return { roots, isProtected: (path) => patterns.some((pattern) => pattern.mayMatch(path, "path")) };
}
