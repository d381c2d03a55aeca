import { readsThisMachine } from "../../commands/meaning/local-requests.ts";
import { type Effect, splitCommand } from "../../contract/call/effect.ts";
import type { PolicyContext } from "../../contract/policy/decision.ts";
import type { Condition } from "../../contract/policy/rule.ts";
import type { Moment } from "./moment.ts";
import { POLICY_KEYWORDS } from "./policy-keywords.ts";

/** `moment`: for conditions that are expressions. Without it, they do not hold for an allow, and hold for the others. */
export type Holds = (effect: Effect, context: PolicyContext, moment?: Moment) => boolean;

const FACTS: Readonly<Record<(typeof POLICY_KEYWORDS.plainFacts)[number], Holds>> = {
  // What may connect to anywhere is not held: installing and building run code of others.
  sandboxed: (_effect, { sandbox }) => sandbox === "files-and-network",
  trusted: (_effect, { isTrusted }) => isTrusted,
  forced: (effect) => effect.forced === true,
  "versions-only": (effect) => effect.versionsOnly === true,
  "own-code": (effect) => effect.ownCode === true,
  "local-read": ({ capability, target }) =>
    capability === "shell.run" && readsThisMachine(splitCommand(target)),
  untrusted: (_effect, { taint }) => taint.has("untrusted"),
  private: (_effect, { taint }) => taint.has("private"),
};

const NAMED: Readonly<Record<(typeof POLICY_KEYWORDS.namedFacts)[number], (name: string) => Holds>> = {
  known: (basis) => (effect) => (effect.known ?? "declared") === basis,
  user: ofPrincipal("user"),
  group:
    (name) =>
    (_effect, { principal }) =>
      principal.groups?.includes(name) === true,
  tenant: ofPrincipal("tenant"),
  agent: ofPrincipal("agent"),
  environment: ofPrincipal("environment"),
  role: ofPrincipal("role"),
};

function ofPrincipal(field: "user" | "tenant" | "agent" | "environment" | "role"): (name: string) => Holds {
  return (name) =>
    (_effect, { principal }) =>
      principal[field] === name;
}

const BASES: ReadonlySet<string> = new Set(POLICY_KEYWORDS.bases);

/** Compiles a condition; `undefined` if it is unknown. */
export function compileCondition(condition: Condition | string): Holds | undefined {
  const [, not, fact = "", name] = /^(not )?([a-z][a-z-]*)(?: (\S.*))?$/.exec(condition) ?? [];
  const holds = name === undefined ? own(FACTS, fact) : named(fact, name);
  if (holds === undefined || not === undefined) return holds;
  return (effect, context) => !holds(effect, context);
}

function named(fact: string, name: string): Holds | undefined {
  if (fact === "known" && !BASES.has(name)) return undefined;
  return own(NAMED, fact)?.(name);
}

function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
