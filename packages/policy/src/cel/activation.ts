import type { ConditionFacts } from "@toolkeep/core/policy";
import type { ExpressionUse } from "./check-expression.ts";

/** So many times is an argument looked at, at most, for each entry of a list. */
const MOST_LOOKS = 1_000_000;

/** The values of the variables that an expression names. What is not known is missing, which is an error there. */
export function activation(
  { names, isWide }: ExpressionUse,
  facts: ConditionFacts,
): Readonly<Record<string, unknown>> {
  if (isWide) checkSize(facts);
  const variables: Record<string, unknown> = Object.create(null);
  for (const name of names) {
    const value = VALUES[name]?.(facts);
    if (value === undefined) throw new Error(`\`${name}\` is not known here`);
    variables[name] = value;
  }
  return variables;
}

const VALUES: Readonly<Record<string, (facts: ConditionFacts) => unknown>> = {
  args: ({ call }) => call.args,
  tool: ({ call }) => call.found.name,
  effect: ({ effect: { capability, target, forced, known } }) => ({
    capability,
    forced: forced === true,
    known: known ?? "declared",
    ...(isOneTarget(capability, target) ? { target } : {}),
  }),
  user: ({ context }) => context.principal.user,
  // A user without groups is in none. Without a user nothing is known of groups.
  groups: ({ context: { principal } }) => principal.groups ?? (principal.user === undefined ? undefined : []),
  tenant: ({ context }) => context.principal.tenant,
  agent: ({ context }) => context.principal.agent,
  role: ({ context }) => context.principal.role,
  environment: ({ context }) => context.principal.environment,
  now: (facts) => new Date(facts.now()),
};

const WILD_PATH = /[*?[{]/;

/**
 * Whether the target is one thing, and not a tree that is searched, files that a pattern stands for, or a host that is
 * not known: what a condition says of a pattern does not hold for what it stands for.
 */
function isOneTarget(capability: string, target: string): boolean {
  if (target === "") return false;
  if (capability.startsWith("fs.")) return !WILD_PATH.test(target);
  return capability.startsWith("shell.") || !target.includes("*");
}

function checkSize({ call: { args, argsText } }: ConditionFacts): void {
  if (longestIn(args) * argsText.length > MOST_LOOKS)
    throw new Error("the arguments are too long to be looked through for each entry of a list");
}

/** How many entries the longest list or map has. */
function longestIn(value: unknown): number {
  let longest = 0;
  const open: unknown[] = [value];
  for (let one = open.pop(); open.length > 0 || one !== undefined; one = open.pop()) {
    if (typeof one !== "object" || one === null) continue;
    const entries = Object.values(one);
    longest = Math.max(longest, entries.length);
    for (const entry of entries) if (typeof entry === "object" && entry !== null) open.push(entry);
  }
  return longest;
}
