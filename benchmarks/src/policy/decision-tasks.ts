import { fsRead } from "@toolkeep/core/internal";
import {
  compilePolicy,
  type Policy,
  type PolicyCall,
  policyCall,
  policyContext,
} from "@toolkeep/core/policy";
import type { Task } from "./interleaved-rounds.ts";
import { freshPaths, mixedRules } from "./mixed-rules.ts";
import { picomatchLoop } from "./picomatch-loop.ts";

const REPEATED = 1_000;
const template = policyCall({ tool: "read", effects: [] });
const context = policyContext();

let serial = 0;

/** New paths for each task. */
function newPaths(length: number, rules: number): readonly string[] {
  serial += length;
  return freshPaths(serial - length, length, rules);
}

/** The same tool makes all calls, so only their effects are new. */
function callOn(path: string): PolicyCall {
  return { ...template, effects: [{ ...fsRead(path), known: "enforced" }] };
}

/** The rules alone, or with the watchdogs of every session. */
export type Kept = "rules" | "watchdogs";

function policyOf(rules: number, kept: Kept = "rules"): Policy {
  return compilePolicy({
    rules: mixedRules(rules),
    ...(kept === "rules" ? { builtIn: "off" as const } : {}),
  });
}

function decideAll(policy: Policy, calls: readonly PolicyCall[]): unknown {
  let last: unknown;
  for (const call of calls) last = policy.decide(call, context);
  return last;
}

/** A whole decision about a path that was not decided before. */
export function freshDecision(name: string, rules: number, kept?: Kept): Task {
  const policy = policyOf(rules, kept);
  return {
    name,
    prepare(runs) {
      const calls = newPaths(runs, rules).map(callOn);
      return () => decideAll(policy, calls);
    },
  };
}

/** The same question put to one picomatch matcher after the other. */
export function loopDecision(name: string, rules: number): Task {
  const decide = picomatchLoop(mixedRules(rules));
  return {
    name,
    prepare(runs) {
      const paths = newPaths(runs, rules);
      return () => {
        let last: unknown;
        for (const path of paths) last = decide(path);
        return last;
      };
    },
  };
}

/**
 * Repeated targets: as new strings, as in calls, or as the same strings, whose hashes are cached.
 */
export type Repeated = "new strings" | "same strings";

/** A whole decision about a path that was decided before. */
export function repeatedDecision(name: string, rules: number, repeated: Repeated): Task {
  const policy = policyOf(rules);
  decideAll(policy, freshPaths(0, REPEATED, rules).map(callOn));
  const callsFor = repeatedCalls(rules, repeated);
  return {
    name,
    prepare(runs) {
      const calls = callsFor(runs);
      return () => decideAll(policy, calls);
    },
  };
}

/** The baseline of a repeated decision: a lookup of the same targets of the same calls. */
export function mapLookup(name: string, rules: number, repeated: Repeated): Task {
  const known = new Map(freshPaths(0, REPEATED, rules).map((path) => [path, path.length]));
  const callsFor = repeatedCalls(rules, repeated);
  return {
    name,
    prepare(runs) {
      const calls = callsFor(runs);
      return () => {
        let last: unknown;
        for (const { effects } of calls) last = known.get(effects[0]?.target ?? "");
        return last;
      };
    },
  };
}

function repeatedCalls(rules: number, repeated: Repeated): (runs: number) => readonly PolicyCall[] {
  const first = freshPaths(0, REPEATED, rules).map(callOn);
  return (runs) => {
    const calls: PolicyCall[] = [];
    while (calls.length < runs) {
      const again = repeated === "same strings" ? first : freshPaths(0, REPEATED, rules).map(callOn);
      calls.push(...again.slice(0, runs - calls.length));
    }
    return calls;
  };
}

/** The two sides must decide the same for a valid comparison. */
export async function assertSameDecisions(rules: number, paths: number): Promise<void> {
  const policy = policyOf(rules);
  const decide = picomatchLoop(mixedRules(rules));
  let denied = 0;
  for (const path of newPaths(paths, rules)) {
    const { action, layer } = await policy.decide(callOn(path), context);
    const expected = decide(path);
    const isSame = expected === "nothing" ? layer === "default" : layer === "rule";
    if (!isSame || (action === "deny") !== (expected === "deny")) {
      throw new Error(`${path} is ${action} (${layer}) here and ${expected} in the loop`);
    }
    denied += Number(action === "deny");
  }
  if (denied === 0 || denied === paths) throw new Error("the rules decide everything alike");
}
