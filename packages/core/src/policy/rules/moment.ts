import type { CallCounter, DecisionFacts, PolicyContext } from "../../contract/policy/decision.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { errorText } from "../../contract/values/error.ts";

const LONGEST_FAILURE = 200;

/** One evaluation of the rules that have a `when`: about which call, and what they asked for. */
export class Moment {
  readonly call: PolicyCall;
  readonly #context: PolicyContext;
  readonly #rates: Record<string, number> = {};
  readonly #failures = new Map<Rule, string>();
  #now: number | undefined;

  constructor(call: PolicyCall, context: PolicyContext) {
    this.call = call;
    this.#context = context;
  }

  /** The same time for all rules of a decision. @throws Error if it is not known. */
  now(): number {
    this.#now ??= this.#context.now;
    if (this.#now === undefined) throw new Error("the time is not known here");
    return this.#now;
  }

  /** @throws Error if earlier calls are not known, or too many. */
  rate(key: string, counter: CallCounter, windowMs: number): number {
    const { earlier } = this.#context;
    const now = this.now();
    if (earlier === undefined) throw new Error("earlier calls are not known here");
    const times =
      this.#rates[key] ?? earlier.recorded?.rates?.[key] ?? earlier.count(counter, now - windowMs);
    this.#rates[key] = times;
    return times;
  }

  fail(rule: Rule, error: unknown): void {
    this.#failures.set(rule, errorText(error).split("\n")[0]?.slice(0, LONGEST_FAILURE) ?? "");
  }

  /** Why the condition of a rule could not be evaluated; `undefined` if it could. */
  failureOf(rule: Rule): string | undefined {
    return this.#failures.get(rule);
  }

  /** What a rule asked for of time and of earlier calls; `undefined` if none did. */
  get facts(): DecisionFacts | undefined {
    if (this.#now === undefined) return undefined;
    const rates = Object.keys(this.#rates).length === 0 ? {} : { rates: this.#rates };
    return { now: this.#now, ...rates };
  }
}
