import type { Effect } from "../call/effect.ts";
import type { PolicyCall } from "../stages/call.ts";
import type { PolicyContext } from "./policy-context.ts";

/** Port: the language of `when` in rules. `cel` of `@toolkeep/policy/cel` is one. */
export interface ConditionLanguage {
  /** Compiles a condition when the policy is read; unknown names are errors there, and not when a call is decided. */
  compile(text: string): CompiledCondition | ConditionError;
}

/** Why a condition is invalid. */
export interface ConditionError {
  readonly error: string;
  /** Position in the condition, counted from 0. */
  readonly offset: number;
  readonly hint?: string;
}

/** A condition that can be evaluated. */
export interface CompiledCondition {
  readonly error?: undefined;
  /** The longest window of `rate`, in milliseconds; 0 without any. */
  readonly longestWindowMs: number;
  /** Whether the condition holds. Throws if that cannot be said. */
  holds(facts: ConditionFacts): boolean;
}

/** What a condition is given. */
export interface ConditionFacts {
  readonly call: PolicyCall;
  readonly effect: Effect;
  readonly context: PolicyContext;
  /** The time of the decision, in milliseconds since the epoch. Throws if it is not known. */
  now(): number;
  /** How many earlier calls the rule's permission and pattern match, within a window. Throws if that is not known. */
  rate(windowMs: number): number;
}

/** What the rules of a decision knew of time and of earlier calls. Recorded with it. */
export interface DecisionFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How many earlier calls were counted, by permission, pattern and window. */
  readonly rates?: Readonly<Record<string, number>>;
}

/** The calls of a session before the one that is decided. */
export interface EarlierCalls {
  /** How many the counter matches since a time. Throws if too many calls were made to know. */
  count(counter: CallCounter, since: number): number;
  /** What was recorded with a decision; for decisions that are made again. */
  readonly recorded?: DecisionFacts;
}

/** Which calls are counted. The same object each time, so that calls are matched once. */
export interface CallCounter {
  matches(call: PolicyCall): boolean;
}
