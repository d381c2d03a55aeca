import type { Decision, PolicyMode } from "../contract/policy/decision.ts";
import { errorText } from "../contract/values/error.ts";
import { afterMode, unlessUngated } from "./after-mode.ts";
import type { AllowList } from "./rules/allow-list.ts";
import { joinedRules } from "./rules/joined-rules.ts";
import type { PolicyInput } from "./rules/policy-call.ts";
import { andThen } from "./rules/promises.ts";
import { RuleEvaluator } from "./rules/rule-evaluator.ts";
import { isStricter, type RuleSet } from "./rules/rule-set.ts";

/** Rules on trial, next to those that hold. */
interface Trial {
  readonly held: RuleEvaluator;
  /** The rules that hold, and those on trial. */
  readonly rules: RuleSet;
  readonly tried: RuleEvaluator;
  readonly mode: PolicyMode;
  readonly allowList: AllowList | undefined;
}

/** Rules on trial, if there are any, in addition to the ones that hold. */
export function trialOf(
  ruleSet: RuleSet,
  shadow: RuleSet | undefined,
  settings: Pick<Trial, "held" | "mode" | "allowList">,
): Trial | undefined {
  if (shadow === undefined) return undefined;
  const rules = joinedRules(ruleSet, shadow);
  return { ...settings, rules, tried: new RuleEvaluator(rules) };
}

/**
 * Adds to a decision what the rules on trial would have made of it. They change nothing else, also when they fail.
 * Stages and watchdogs are not asked a second time: what they said of the call stands.
 */
export function withShadow(
  decided: Decision | Promise<Decision>,
  trial: Trial,
  input: PolicyInput,
): Decision | Promise<Decision> {
  return andThen(decided, (decision) => shadowed(decision, trial, input));
}

function shadowed(decision: Decision, trial: Trial, input: PolicyInput): Decision | Promise<Decision> {
  const failed = (error: unknown): Decision =>
    noted(decision, "deny", `The rules on trial failed: ${errorText(error)}`);
  try {
    const tried = tryRules(decision, trial, { ...input, trace: undefined });
    return tried instanceof Promise ? tried.catch(failed) : tried;
  } catch (error) {
    return failed(error);
  }
}

function tryRules(
  decision: Decision,
  { held, tried, mode, allowList }: Trial,
  input: PolicyInput,
): Decision | Promise<Decision> {
  const [before, after] = [held.decide(input), tried.decide(input)];
  if (isSame(before, after)) return decision;
  return andThen(afterMode(mode, allowList, unlessUngated(after, input), input), (one) =>
    compared(decision, one, after),
  );
}

function isSame(one: Decision, other: Decision): boolean {
  return one.action === other.action && one.isFinal === other.isFinal && hasSameApprovers(one, other);
}

function hasSameApprovers(one: Decision, other: Decision): boolean {
  return JSON.stringify(one.needs) === JSON.stringify(other.needs);
}

/** `after`: what the rules say, before the mode. */
function compared(decision: Decision, tried: Decision, after: Decision): Decision {
  const [was, would] = [effective(decision), effective(tried)];
  const reason = after.reason ?? after.matchedBy;
  if (isStricter(would, was))
    return wouldStageDecide(decision, tried) ? decision : noted(decision, would, reason);
  if (would === was)
    return would === "ask" && !hasSameApprovers(decision, tried) ? noted(decision, would, reason) : decision;
  return isNarrowed(decision) ? decision : noted(decision, would, reason);
}

/** In the mode `observe`: what would become of the call in another one. */
function effective({ action, observed }: Decision): Decision["action"] {
  return observed?.action ?? action;
}

/** A stage approves what asks, unless it is final. */
function wouldStageDecide({ layer, action }: Decision, tried: Decision): boolean {
  return (
    layer === "stage" &&
    action === "allow" &&
    tried.action === "ask" &&
    tried.isFinal !== true &&
    tried.needs === undefined
  );
}

/** A rule that allows changes nothing about what a watchdog objects to, or what is only observed. */
function isNarrowed({ layer, askedBy = [], observed }: Decision): boolean {
  return layer === "watchdog" || observed !== undefined || askedBy.some((asker) => asker !== "rules");
}

function noted(decision: Decision, action: Decision["action"], reason: string): Decision {
  return { ...decision, shadow: { action, reason } };
}

/** The stricter trial of two policies that decide about one call, where it differs from the decision. */
export function joinedShadow(decision: Decision, ...decided: readonly Decision[]): Decision {
  const { shadow: _, ...plain } = decision;
  const shadows = decided.flatMap(({ shadow }) => shadow ?? []);
  const [first, ...others] = shadows;
  if (first === undefined) return decision;
  const shadow = others.reduce(
    (strictest, one) => (isStricter(one.action, strictest.action) ? one : strictest),
    first,
  );
  return isStricter(effective(plain), shadow.action) ? plain : { ...plain, shadow };
}
