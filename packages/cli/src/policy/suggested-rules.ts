import type { Rule } from "@toolkeep/core";
import { compilePolicy, type Policy, type RecordedCall, ruleText, suggestRules } from "@toolkeep/core/policy";
import { isDelegation } from "../clients/hook-call.ts";
import type { Project } from "../project/read-project.ts";
import type { RecordedSession } from "./recorded-sessions.ts";

/** Rules that remove questions, narrowest first. */
export interface Suggestion {
  /** They belong together: one call needs all of them. */
  readonly rules: readonly Rule[];
  /** How many of the approved questions they remove. */
  readonly asks: number;
  /** Whether they allow more than calls that were approved. */
  readonly isWide: boolean;
}

export interface Suggestions {
  readonly suggestions: readonly Suggestion[];
  /** The recorded calls that were asked about. */
  readonly asked: number;
  /** Those that were approved and would still ask today. */
  readonly approved: number;
  /** Approved calls that no rule can allow: a watchdog asks as well, or the call is never remembered. */
  readonly unsayable: number;
}

/** A question that was answered with yes, under the policy of today in the folders of its session. */
interface Approved {
  readonly recorded: RecordedCall;
  readonly policy: Policy;
  readonly exact: readonly Rule[];
  readonly wide: readonly Rule[];
}

const MOST = 10;
/** A wider rule must stand for this many different calls. */
const FEWEST_CALLS = 3;

/**
 * The narrowest rules from what was approved. A wider rule is suggested only if it stands for several different calls,
 * allows nothing that was refused, and `isHarmless` agrees.
 */
export async function suggestedRules(
  sessions: readonly RecordedSession[],
  project: Project,
  isHarmless: (rules: readonly Rule[]) => Promise<{ readonly exact: boolean; readonly wide: boolean }>,
): Promise<Suggestions> {
  const { approved, refused, asked } = await readAnswers(sessions, project);
  const sayable = approved.filter(({ exact }) => exact.length > 0);
  const candidates = candidatesOf(sayable);
  const suggestions: Suggestion[] = [];
  let open = sayable;
  for (const { rules, isWide } of candidates) {
    if (suggestions.length === MOST || open.length === 0) break;
    const removed = await allowedBy(rules, open);
    if (removed.length === 0 || (isWide && distinct(removed) < FEWEST_CALLS)) continue;
    if ((await allowedBy(rules, refused)).length > 0) continue;
    const harmless = await isHarmless(rules);
    if (isWide ? !harmless.wide : !harmless.exact) continue;
    suggestions.push({ rules, asks: removed.length, isWide });
    open = open.filter((one) => !removed.includes(one));
  }
  return {
    suggestions: suggestions.toSorted((one, other) => other.asks - one.asks),
    asked,
    approved: approved.length,
    unsayable: approved.length - sayable.length,
  };
}

interface Answers {
  readonly approved: readonly Approved[];
  readonly refused: readonly Approved[];
  readonly asked: number;
}

async function readAnswers(sessions: readonly RecordedSession[], project: Project): Promise<Answers> {
  const approved: Approved[] = [];
  const refused: Approved[] = [];
  let asked = 0;
  for (const { roots, calls, outcomes } of sessions) {
    const variables = { workspace: roots };
    const policy = compilePolicy({ ...project.policy, variables });
    for (const recorded of calls) {
      const answer = answerTo(recorded, outcomes);
      if (answer === "none") continue;
      asked += 1;
      if (answer === "unknown") continue;
      const { decision, exactRules: exact = [] } = await policy.explain(recorded.call, recorded.context);
      const wide = suggestRules(recorded.call, variables);
      if (answer === "no") refused.push({ recorded, policy, exact, wide });
      else if (decision.action === "ask") approved.push({ recorded, policy, exact, wide });
    }
  }
  return { approved, refused, asked };
}

/** What a person answered. A call that a pause let pass was not answered; a client reports only what it ran. */
function answerTo(
  { by, was, call }: RecordedCall,
  outcomes: ReadonlyMap<string, string>,
): "yes" | "no" | "unknown" | "none" {
  if (!by.startsWith("approver: ")) return "none";
  const name = by.slice("approver: ".length);
  if (was === "deny") return "no";
  const person = name.replace(/, [a-z]+$/, "");
  if (person.startsWith("pause until ")) return "unknown";
  if (!isDelegation(person)) return "yes";
  const outcome = outcomes.get(call.id);
  if (outcome === "refused") return "no";
  return outcome === undefined ? "unknown" : "yes";
}

interface Candidate {
  readonly rules: readonly Rule[];
  readonly isWide: boolean;
}

/** Wider rules first: they are checked more strictly, and what they leave is said exactly. */
function candidatesOf(approved: readonly Approved[]): readonly Candidate[] {
  const wide = approved.flatMap((one) => one.wide.map((rule) => [rule]));
  const exact = approved.map((one) => one.exact);
  return [
    ...mostFrequent(wide).map((rules) => ({ rules, isWide: true })),
    ...mostFrequent(exact).map((rules) => ({ rules, isWide: false })),
  ];
}

function mostFrequent(all: readonly (readonly Rule[])[]): readonly (readonly Rule[])[] {
  const groups = [...Map.groupBy(all, (rules) => rules.map(ruleText).join("\n")).values()];
  return groups
    .toSorted((one, other) => other.length - one.length)
    .flatMap(([first]) => (first === undefined ? [] : [first]));
}

async function allowedBy(rules: readonly Rule[], calls: readonly Approved[]): Promise<readonly Approved[]> {
  const compiled = new Map<Policy, Policy>();
  const allowed: Approved[] = [];
  for (const one of calls) {
    const { policy, recorded } = one;
    const after = compiled.get(policy) ?? policy.withRules(rules);
    compiled.set(policy, after);
    // The answer itself does not count: it is what the rules would replace.
    const context = { ...recorded.context, isApproved: () => false };
    if ((await after.decide(recorded.call, context)).action === "allow") allowed.push(one);
  }
  return allowed;
}

function distinct(calls: readonly Approved[]): number {
  return new Set(calls.map(({ exact }) => exact.map(ruleText).join("\n"))).size;
}
