import type { Rule } from "@toolkeep/core";
import { ruleText, suggestRules, visible } from "@toolkeep/core/internal";
import { compilePolicy, type Policy, type RecordedCall } from "@toolkeep/core/policy";
import { coverageOf } from "../approvals/rules/covered-examples.ts";
import { ruleWords } from "../approvals/rules/rule-words.ts";
import { isDelegation } from "../clients/hook-call.ts";
import { allowCommand } from "../project/policy-advice.ts";
import { type Project, readProject } from "../project/read-project.ts";
import { withStore } from "../project/store/with-store.ts";
import { EXIT } from "../terminal/command-error.ts";
import { counted } from "../terminal/counted.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type RecordedSession, recordedSessions } from "./recorded-sessions.ts";

export interface SuggestOptions {
  readonly project?: string | undefined;
  readonly store?: string | undefined;
}

/** Shows the narrowest rules from what was approved in recorded sessions. Adds none of them. */
export async function suggestFromRecords(options: SuggestOptions, terminal: Terminal): Promise<number> {
  const project = await readProject({ cwd: terminal.cwd, folder: options.project });
  const isHarmless = async (rules: readonly Rule[]) => {
    const { others, held, itself } = await coverageOf(rules, project);
    const isFree = held.length === 0 && itself?.decision.action !== "deny";
    return { exact: isFree, wide: isFree && others.length === 0 };
  };
  const found = await withStore(
    terminal.cwd,
    async (store) => {
      const { sessions, skipped } = await recordedSessions(store, terminal);
      return { sessions: sessions.length, skipped, ...(await suggestedRules(sessions, project, isHarmless)) };
    },
    options.store,
  );
  const { suggestions, asked, approved, unsayable } = found;
  terminal.show({ ...found, suggestions: suggestions.map(record) }, suggestions.flatMap(lines));
  terminal.note(
    `${counted(asked, "question")} on record; ${approved} of them were approved and would be asked again.`,
  );
  if (unsayable > 0) terminal.note(`${unsayable} of these cannot be said as a rule, and keep asking.`);
  if (suggestions.length === 0) terminal.note("There is nothing to suggest.");
  return EXIT.ok;
}

function record({ rules, asks, isWide }: Suggestion) {
  return { asks, isWide, rules: rules.map(ruleText), commands: rules.map(allowCommand) };
}

function lines({ rules, asks, isWide }: Suggestion): readonly string[] {
  return [
    `Removes ${counted(asks, "question")}${isWide ? ", and allows similar calls" : ""}:`,
    ...rules.flatMap((rule) => [`  ${allowCommand(rule)}`, `    ${visible(ruleWords(rule))}`]),
  ];
}

/** Rules that remove questions, narrowest first. */
interface Suggestion {
  /** They belong together: one call needs all of them. */
  readonly rules: readonly Rule[];
  /** How many of the approved questions they remove. */
  readonly asks: number;
  /** Whether they allow more than calls that were approved. */
  readonly isWide: boolean;
}

interface Suggestions {
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

/** The narrowest rules from approvals; wider ones only if they replace several, allow nothing refused, and are harmless. */
async function suggestedRules(
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
