import type { PathDenies } from "../contract/call/effect.ts";
import { type Principal, principalKey } from "../contract/people/principal.ts";
import type { Decision, PolicyContext, PolicyDefinition } from "../contract/policy/decision.ts";
import type { PolicyCall } from "../contract/policy/policy-call.ts";
import type { Rule } from "../contract/policy/rule.ts";
import { compilePolicy, type Policy } from "./compile-policy.ts";
import type { Explanation } from "./rules/explanation.ts";

/**
 * A policy that answers to approvals can add rules to, each for the principal that was asked about. Each addition
 * compiles a new policy for that principal; all others keep the first one.
 */
export class GrowingPolicy implements Policy {
  readonly #first: Policy;
  /** By the key of the principal. */
  readonly #grown: Map<string, Policy>;

  constructor(first: PolicyDefinition | Policy, grown: ReadonlyMap<string, Policy> = new Map()) {
    this.#first = "decide" in first ? first : compilePolicy(first);
    this.#grown = new Map(grown);
  }

  get mode(): Policy["mode"] {
    return this.#first.mode;
  }

  get definition(): Policy["definition"] {
    return this.#first.definition;
  }

  get longestWindowMs(): number | undefined {
    if (this.#grown.size === 0) return this.#first.longestWindowMs;
    const all = [this.#first, ...this.#grown.values()].map((policy) => policy.longestWindowMs ?? 0);
    return Math.max(...all) || undefined;
  }

  decide(call: PolicyCall, context: PolicyContext): Decision | Promise<Decision> {
    return this.#for(context.principal).decide(call, context);
  }

  leavesOut(call: PolicyCall, context: PolicyContext): readonly string[] {
    return this.#for(context.principal).leavesOut?.(call, context) ?? [];
  }

  pathDenies(call: PolicyCall, context: PolicyContext): PathDenies | undefined {
    return this.#for(context.principal).pathDenies?.(call, context);
  }

  /** An answer adds rules that decide, and no labels. */
  marksOf(call: PolicyCall, roots: readonly string[]): ReturnType<NonNullable<Policy["marksOf"]>> {
    return this.#first.marksOf?.(call, roots) ?? {};
  }

  exactRules(call: PolicyCall, context: PolicyContext, decision: Decision): readonly Rule[] {
    return this.#for(context.principal).exactRules(call, context, decision);
  }

  explain(call: PolicyCall, context: PolicyContext): Promise<Explanation> {
    return this.#for(context.principal).explain(call, context);
  }

  /** A copy with these rules added, for every principal. @throws ToolkeepError `invalid_rule`. */
  withRules(rules: readonly (Rule | string)[]): Policy {
    const grown = [...this.#grown].map(([key, policy]) => [key, policy.withRules(rules)] as const);
    return new GrowingPolicy(this.#first.withRules(rules), new Map(grown));
  }

  /** @throws ToolkeepError `invalid_rule`. */
  add(rule: Rule, principal: Principal): void {
    this.#grown.set(principalKey(principal), this.#for(principal).withRules([rule]));
  }

  /** Removes the rules that were added. */
  forget(): void {
    this.#grown.clear();
  }

  #for(principal: Principal): Policy {
    if (this.#grown.size === 0) return this.#first;
    return this.#grown.get(principalKey(principal)) ?? this.#first;
  }
}
