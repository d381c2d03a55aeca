import type {
  Authorizer,
  Decision,
  PolicyContext,
  PolicyDefinition,
  PolicyMode,
  StageMachine,
  StageVerdict,
  Watchdog,
} from "../contract/policy/decision.ts";
import type { PolicyCall } from "../contract/policy/policy-call.ts";
import type { Rule } from "../contract/policy/rule.ts";
import { closestName, errorText, invalidOption } from "../contract/values/error.ts";
import { afterMode, unlessUngated } from "./after-mode.ts";
import { asksByRulesAlone, exactRules } from "./approvals/exact-rules.ts";
import { dangerOf } from "./dangers.ts";
import { readRules } from "./grammar/parse-rule.ts";
import { type AllowList, compileAllowList } from "./rules/allow-list.ts";
import { ASKS_ABOUT } from "./rules/compile-rule.ts";
import { type ExplainedStep, type Explanation, explanationOf } from "./rules/explanation.ts";
import { joinedRules, rememberedRules } from "./rules/joined-rules.ts";
import { Moment } from "./rules/moment.ts";
import type { PolicyInput } from "./rules/policy-call.ts";
import { POLICY_KEYWORDS } from "./rules/policy-keywords.ts";
import { andThen, inTime } from "./rules/promises.ts";
import { RuleEvaluator } from "./rules/rule-evaluator.ts";
import { compileRules, type RuleSet } from "./rules/rule-set.ts";
import { NO_RULE_MATCHES } from "./rules/unmatched-words.ts";
import { builtIn as known, underWatchdogs } from "./under-watchdogs.ts";
import { builtInWatchdogs } from "./watchdogs/built-in.ts";
import { labelledReads, type PathLabels, pathLabels } from "./watchdogs/path-labels.ts";
import { marksOf } from "./watchdogs/taint.ts";

/** A policy definition with every rule in its object form. */
interface CompiledDefinition extends PolicyDefinition {
  readonly rules: readonly Rule[];
}

/** A compiled policy. Pure: the same call in the same context has the same decision. */
export interface Policy extends Authorizer {
  readonly mode: PolicyMode;
  /** What it was compiled from, with every rule in its object form. */
  readonly definition: CompiledDefinition;
  /** A policy with these rules added. @throws ToolkeepError `invalid_rule`. */
  withRules(rules: readonly (Rule | string)[]): Policy;
  /** Rules that together allow a call that asks, and nothing else; none where a rule cannot say that, or would not help. */
  exactRules(call: PolicyCall, context: PolicyContext, decision: Decision): readonly Rule[];
  /** The decision and every step that led to it. */
  explain(call: PolicyCall, context: PolicyContext): Promise<Explanation>;
}

const MODES: ReadonlySet<string> = new Set(POLICY_KEYWORDS.modes);

/**
 * Makes a policy decide: rules, then the stage machine, what is not gated, the mode, the watchdogs.
 * @throws ToolkeepError `invalid_rule`, `invalid_option`.
 */
export function compilePolicy(written: PolicyDefinition | readonly (Rule | string)[] = {}): Policy {
  const given: PolicyDefinition = isList(written) ? { rules: written } : written;
  assertKnown(given);
  const definition = { ...given, rules: readRules(given.rules ?? []) };
  const allowList = allowListOf(definition);
  const all = [...definition.rules, ...(allowList?.rules ?? [])];
  return policyOf(definition, allowList, {
    compiled: rememberedRules(all, definition.variables ?? {}, definition.conditions),
    added: [],
  });
}

/** Rules that are compiled, and rules that were added to them. Those are few, and compiled anew with each addition. */
interface GrownRules {
  readonly compiled: RuleSet;
  readonly added: readonly Rule[];
}

function policyOf(
  definition: CompiledDefinition,
  allowList: AllowList | undefined,
  { compiled, added }: GrownRules,
): Policy {
  const { mode = "ask", variables = {}, stages, conditions } = definition;
  const labels = pathLabels(definition.rules, variables);
  const watchdogs = watchdogsOf(definition, labels);
  const withAdded = (rules: RuleSet, more: readonly Rule[]) =>
    more.length === 0 ? rules : joinedRules(rules, compileRules(more, variables, conditions));
  const ruleSet = withAdded(compiled, added);
  const evaluate = new RuleEvaluator(ruleSet);

  /** Most policies have no `when`, and need nothing for it. */
  function inputOf(call: PolicyCall, context: PolicyContext, trace?: ExplainedStep[]): PolicyInput {
    const moment = ruleSet.hasWhen ? new Moment(call, context) : undefined;
    return { call, context, trace, moment };
  }

  function decide(input: PolicyInput): Decision | Promise<Decision> {
    const { moment } = input;
    const decision = decideCall(input);
    return moment === undefined ? decision : andThen(decision, (one) => withFacts(one, moment));
  }

  function decideCall(input: PolicyInput): Decision | Promise<Decision> {
    const byRules = evaluate.decide(input);
    // Most calls: rules allow them, and only a watchdog can still object.
    if (byRules.action === "allow") return underWatchdogs(watchdogs, mode, byRules, input);
    if (byRules.action === "deny" && mode !== "observe") return byRules;
    const staged = askStages(stages, byRules, input);
    return staged instanceof Promise ? staged.then((one) => settle(one, input)) : settle(staged, input);
  }

  function settle(decision: Decision, input: PolicyInput): Decision | Promise<Decision> {
    const settled = afterMode(mode, allowList, worded(unlessUngated(decision, input), input), input);
    return underWatchdogs(watchdogs, mode, settled, input);
  }

  /** Watchdogs and stages are not asked: what passes them with an ask of the rules passes them with an allow. */
  function exactly(call: PolicyCall, context: PolicyContext, decision: Decision): readonly Rule[] {
    if (!asksByRulesAlone(decision)) return [];
    const steps: ExplainedStep[] = [];
    evaluate.decide(inputOf(call, context, steps));
    const more = exactRules(call, steps);
    if (more.length === 0) return more;
    const withThem = new RuleEvaluator(withAdded(ruleSet, more));
    return withThem.decide(inputOf(call, context)).action === "allow" ? more : [];
  }

  return {
    mode,
    definition,
    exactRules: exactly,
    withRules(more) {
      const read = readRules(more);
      const grown = { ...definition, rules: [...definition.rules, ...read] };
      return policyOf(grown, allowList, { compiled, added: [...added, ...read] });
    },
    ...(ruleSet.longestWindowMs > 0 ? { longestWindowMs: ruleSet.longestWindowMs } : {}),
    decide: (call, context) => decide(inputOf(call, context)),
    leavesOut: (call, context) => evaluate.leavesOut({ call, context }, mode),
    pathDenies: (call, context) => evaluate.pathDenies({ call, context }, mode),
    marksOf: (call, roots) => marksOf(call, roots, labels),
    async explain(call, context) {
      const steps: ExplainedStep[] = [];
      const decision = await decide(inputOf(call, context, steps));
      return withWhatFollows(explanationOf(call, decision, steps), {
        labels: labelledReads(call, labels, context.roots),
        exactRules: exactly(call, context, decision),
      });
    },
  };
}

/** An explanation with what the call marks, and with what would allow it, where there is such a thing. */
function withWhatFollows(
  explanation: Explanation,
  { labels, exactRules: allowing }: Required<Pick<Explanation, "labels" | "exactRules">>,
): Explanation {
  return {
    ...explanation,
    ...(labels.length > 0 ? { labels } : {}),
    ...(allowing.length > 0 ? { exactRules: allowing } : {}),
  };
}

/** What the rules knew of time and of earlier calls is recorded with the decision. */
function withFacts(decision: Decision, { facts }: Moment): Decision {
  return facts === undefined ? decision : { ...decision, facts };
}

/** The danger first, then the rule or that there is none. Without a danger, the reason says what is not known. */
function worded(decision: Decision, { call, context }: PolicyInput): Decision {
  const { action, layer, because, reason = "" } = decision;
  if (action !== "ask" || because !== undefined) return decision;
  const danger = dangerOf(call, context);
  if (danger === undefined) return decision;
  const rule = layer === "rule" ? reason.replace(`${ASKS_ABOUT}: `, "The rule: ") : NO_RULE_MATCHES;
  return { ...decision, because: danger, reason: `${danger} ${rule}` };
}

function isList(value: object): value is readonly (Rule | string)[] {
  return Array.isArray(value);
}

function allowListOf({ mode = "ask", allowList }: PolicyDefinition): AllowList | undefined {
  if (!MODES.has(mode)) {
    throw invalidOption(`The mode ${JSON.stringify(mode)} is none of ask, allowlist, yolo, observe.`);
  }
  if (allowList === undefined) return undefined;
  if (mode !== "allowlist") {
    throw invalidOption(`\`allowList\` needs the mode "allowlist"; the mode is ${JSON.stringify(mode)}.`);
  }
  return compileAllowList(allowList);
}

/** The built-in watchdogs come first: what they deny is not passed to the others. */
function watchdogsOf(
  { mode, builtIn, watchdogs = [] }: PolicyDefinition,
  labels: PathLabels,
): readonly Watchdog[] {
  if (builtIn === "off") return watchdogs;
  // In the mode yolo no command was allowed because of what its script contained.
  const settings = mode === "yolo" ? { "changed-scripts": "off" as const, ...builtIn } : builtIn;
  const own = builtInWatchdogs(settings, labels);
  for (const watchdog of own) known.add(watchdog);
  return [...own, ...watchdogs];
}

const KEYS = new Set([
  ...["mode", "rules", "allowList", "watchdogs", "builtIn", "stages", "locks", "conditions", "variables"],
]);

/** An unknown field is an error: it may have been meant as a deny. */
function assertKnown(definition: PolicyDefinition): void {
  const foreign = Object.keys(definition).find((key) => !KEYS.has(key));
  if (foreign === undefined) return;
  throw invalidOption(`Unknown policy field ${JSON.stringify(foreign)}.${suggestion(foreign)}`);
}

function suggestion(field: string): string {
  const closest = closestName(field, KEYS);
  return closest === undefined ? "" : ` Did you mean ${JSON.stringify(closest)}?`;
}

const TIMEOUT_MS = 5_000;

/** The host application's stage machine can settle an ask, for this call only. A failing one denies. */
function askStages(
  stages: StageMachine | undefined,
  decision: Decision,
  { call, context, trace }: PolicyInput,
): Decision | Promise<Decision> {
  if (stages === undefined || decision.action !== "ask" || decision.isFinal === true) return decision;
  const settled = (verdict: StageVerdict) => settle(stages, decision, verdict, trace);
  const failed = (error: unknown) =>
    settled({ verdict: "deny", reason: `The stage machine ${stages.name} failed: ${errorText(error)}` });
  try {
    const verdict = stages.evaluate(call, context);
    return verdict instanceof Promise ? inTime(verdict, TIMEOUT_MS).then(settled, failed) : settled(verdict);
  } catch (error) {
    return failed(error);
  }
}

function settle(
  stages: StageMachine,
  decision: Decision,
  given: StageVerdict,
  trace: PolicyInput["trace"],
): Decision {
  const { verdict, reason } = readVerdict(given);
  const said = ({ approve: "allow", defer: "nothing", deny: "deny" } as const)[verdict];
  trace?.push({
    layer: "stage",
    said,
    how: "answers",
    matchedBy: stages.name,
    ...(reason === undefined ? {} : { reason }),
  });
  if (verdict === "defer" || (verdict === "approve" && decision.needs !== undefined)) return decision;
  if (verdict === "approve") return { action: "allow", layer: "stage", matchedBy: stages.name };
  return { action: "deny", layer: "stage", matchedBy: stages.name, reason: reason ?? "Denied by the stage." };
}

function readVerdict(given: StageVerdict): {
  readonly verdict: "approve" | "defer" | "deny";
  readonly reason?: string;
} {
  const verdict = typeof given === "string" ? given : given?.verdict;
  if (verdict === "approve" || verdict === "defer") return { verdict };
  if (typeof given === "object" && given?.verdict === "deny")
    return { verdict: "deny", reason: String(given.reason) };
  return { verdict: "deny", reason: "It gave no verdict that is known." };
}
