import type { Effect, Variables } from "../contract/call/effect.ts";
import { assertVariables } from "../contract/call/variables.ts";
import type {
  Authorizer,
  Decision,
  PolicyContext,
  PolicyDefinition,
  PolicyMode,
  Watchdog,
} from "../contract/policy/decision.ts";
import type { PolicyCall } from "../contract/policy/policy-call.ts";
import type { Rule } from "../contract/policy/rule.ts";
import { defined } from "../contract/values/defined.ts";
import { closestName, invalidOption } from "../contract/values/error.ts";
import { afterMode, unlessUngated } from "./after-mode.ts";
import { asksByRulesAlone, exactRules } from "./approvals/exact-rules.ts";
import { askStages } from "./ask-stages.ts";
import { dangerOf } from "./dangers.ts";
import { readRules } from "./grammar/parse-rule.ts";
import { type AllowList, compileAllowList } from "./rules/allow-list.ts";
import { ASKS_ABOUT } from "./rules/compile-rule.ts";
import { POLICY_FIELDS } from "./rules/definition-fields.ts";
import { type ExplainedStep, type Explanation, explanationOf } from "./rules/explanation.ts";
import { joinedRules, rememberedRules } from "./rules/joined-rules.ts";
import { Moment } from "./rules/moment.ts";
import type { PolicyInput } from "./rules/policy-call.ts";
import { POLICY_KEYWORDS } from "./rules/policy-keywords.ts";
import { andThen } from "./rules/promises.ts";
import { RuleEvaluator } from "./rules/rule-evaluator.ts";
import { compileRules, type RuleSet } from "./rules/rule-set.ts";
import { NO_RULE_MATCHES, unmatchedWords } from "./rules/unmatched-words.ts";
import { trialOf, withShadow } from "./shadow-rules.ts";
import { builtIn as known, underWatchdogs } from "./under-watchdogs.ts";
import { builtInWatchdogs, type Given } from "./watchdogs/built-in.ts";
import { destroyedBy, type IsNamed, nameDestruction } from "./watchdogs/destruction.ts";
import { labelledReads, pathLabels } from "./watchdogs/path-labels.ts";
import { marksOf } from "./watchdogs/taint.ts";

/** A policy definition with every rule in its object form. */
interface CompiledDefinition extends PolicyDefinition {
  readonly rules: readonly Rule[];
  readonly shadow?: readonly Rule[];
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
  assertVariables(given.variables ?? {});
  const shadow = readRules(given.shadow ?? []);
  const rules = readRules(given.rules ?? []);
  const { shadow: _, ...others } = given;
  const definition: CompiledDefinition = { ...others, rules, ...(shadow.length === 0 ? {} : { shadow }) };
  const { variables = {}, conditions } = definition;
  const allowList = allowListOf(definition);
  const all = [...definition.rules, ...(allowList?.rules ?? [])];
  return policyOf(definition, allowList, {
    compiled: rememberedRules(all, variables, conditions),
    added: [],
    ...(shadow.length === 0 ? {} : { shadow: rememberedRules(shadow, variables, conditions) }),
  });
}

/** Rules that are compiled, and rules that were added to them. Those are few, and compiled anew with each addition. */
interface GrownRules {
  readonly compiled: RuleSet;
  readonly added: readonly Rule[];
  /** On trial: they decide nothing. */
  readonly shadow?: RuleSet;
}

function policyOf(
  definition: CompiledDefinition,
  allowList: AllowList | undefined,
  { compiled, added, shadow }: GrownRules,
): Policy {
  const { mode = "ask", variables = {}, stages, conditions } = definition;
  const withAdded = rulesAdder(variables, conditions);
  const ruleSet = withAdded(compiled, added);
  const labels = pathLabels(definition.rules, variables);
  const evaluate = new RuleEvaluator(ruleSet);
  const trial = trialOf(ruleSet, shadow, { held: evaluate, mode, allowList });
  const { hasWhen, longestWindowMs } = trial?.rules ?? ruleSet;
  const watchdogs = watchdogsOf(definition, { labels, isNamed: namedBy(evaluate, inputOf) });

  const unmatched: Unmatched = (...of) => unmatchedBy((steps) => evaluate.decide(inputOf(...of, steps)));

  /** Most policies have no `when`, and need nothing for it. */
  function inputOf(call: PolicyCall, context: PolicyContext, trace?: ExplainedStep[]): PolicyInput {
    const moment = hasWhen ? new Moment(call, context) : undefined;
    return { call, context, trace, moment };
  }

  function decide(input: PolicyInput): Decision | Promise<Decision> {
    const held = decideCall(input);
    return withFacts(trial === undefined ? held : withShadow(held, trial, input), input);
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
    const said = worded(unlessUngated(decision, input), input, unmatched);
    return underWatchdogs(watchdogs, mode, afterMode(mode, allowList, said, input), input);
  }

  /** Watchdogs and stages are not asked: what passes them with an ask of the rules passes them with an allow. */
  function exactly(call: PolicyCall, context: PolicyContext, decision: Decision): readonly Rule[] {
    if (!asksByRulesAlone(decision)) return [];
    const more = exactRules(call, [...unmatched(call, context), ...toBeNamed(call, decision)]);
    return new RuleEvaluator(withAdded(ruleSet, more)).decide(inputOf(call, context)).action === "allow"
      ? more
      : [];
  }

  return {
    mode,
    definition,
    exactRules: exactly,
    withRules(more) {
      const read = readRules(more);
      const grown = { ...definition, rules: [...definition.rules, ...read] };
      return policyOf(grown, allowList, { compiled, added: [...added, ...read], ...defined({ shadow }) });
    },
    ...(longestWindowMs > 0 ? { longestWindowMs } : {}),
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

/** Most policies have no rules that were added. */
function rulesAdder(variables: Variables, conditions: PolicyDefinition["conditions"]) {
  return (rules: RuleSet, more: readonly Rule[]) =>
    more.length === 0 ? rules : joinedRules(rules, compileRules(more, variables, conditions));
}

/** The effects of a call that the rules do not allow. */
type Unmatched = (call: PolicyCall, context: PolicyContext) => readonly Effect[];

function unmatchedBy(decide: (steps: ExplainedStep[]) => void): readonly Effect[] {
  const steps: ExplainedStep[] = [];
  decide(steps);
  return steps.flatMap(({ said, effect }) => (said === "allow" || effect === undefined ? [] : [effect]));
}

/** What a rule has to name besides, because it is destroyed. */
function toBeNamed(call: PolicyCall, { askedBy = [] }: Decision): readonly Effect[] {
  if (!askedBy.includes("destruction")) return [];
  return call.effects.filter((effect) => destroyedBy(effect, call) !== undefined);
}

/** Whether the rules that decide about a command, or about what it does, name what it destroys. */
function namedBy(
  evaluate: RuleEvaluator,
  inputOf: (call: PolicyCall, context: PolicyContext) => PolicyInput,
): IsNamed {
  return (call, effect, context) =>
    nameDestruction(evaluate.allowing(effect, inputOf(call, context)), effect, call);
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
function withFacts(
  decision: Decision | Promise<Decision>,
  { moment }: PolicyInput,
): Decision | Promise<Decision> {
  if (moment === undefined) return decision;
  return andThen(decision, (one) => {
    const { facts } = moment;
    return facts === undefined ? one : { ...one, facts };
  });
}

/** The danger first, then the rule or that there is none. Without a danger, the reason says what is not known. */
function worded(decision: Decision, input: PolicyInput, unmatched: Unmatched): Decision {
  const { action, layer, because, reason = "" } = decision;
  if (action !== "ask" || because !== undefined) return decision;
  let open: readonly Effect[] | undefined;
  const opened = () => (open ??= unmatched(input.call, input.context));
  const danger = dangerOf(input.call, opened, input.context);
  const unknown = input.call.effects.find(({ capability, note }) => capability === "shell.dynamic" && note);
  if (danger === undefined)
    return layer === "rule" || unknown === undefined
      ? decision
      : { ...decision, reason: unmatchedWords(unknown) };
  const without = unknown === undefined ? NO_RULE_MATCHES : unmatchedWords(unknown);
  const rule = layer === "rule" ? reason.replace(`${ASKS_ABOUT}: `, "The rule: ") : without;
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
function watchdogsOf({ mode, builtIn, watchdogs = [] }: PolicyDefinition, given: Given): readonly Watchdog[] {
  if (builtIn === "off") return watchdogs;
  // In the mode yolo no command was allowed because of what its script contained.
  const settings = mode === "yolo" ? { "changed-scripts": "off" as const, ...builtIn } : builtIn;
  const own = builtInWatchdogs(settings, given);
  for (const watchdog of own) known.add(watchdog);
  return [...own, ...watchdogs];
}

/** An unknown field is an error: it may have been meant as a deny. */
function assertKnown(definition: PolicyDefinition): void {
  const foreign = Object.keys(definition).find((key) => !POLICY_FIELDS.has(key));
  if (foreign === undefined) return;
  throw invalidOption(`Unknown policy field ${JSON.stringify(foreign)}.${suggestion(foreign)}`);
}

function suggestion(field: string): string {
  const closest = closestName(field, POLICY_FIELDS);
  return closest === undefined ? "" : ` Did you mean ${JSON.stringify(closest)}?`;
}
