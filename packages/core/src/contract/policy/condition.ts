import type { Effect } from "../call/effect.ts";
import type { PolicyCall } from "./policy-call.ts";
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
