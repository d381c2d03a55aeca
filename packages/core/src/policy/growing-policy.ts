import type { PolicyCall } from "../contract/call.ts";
import type { Decision, PolicyDefinition } from "../contract/decision.ts";
import type { PathDenies } from "../contract/path-denies.ts";
import type { PolicyContext } from "../contract/policy-context.ts";
import type { Rule } from "../contract/rule.ts";
import { compilePolicy, type Policy } from "./compile-policy.ts";
import type { Explanation } from "./explanation.ts";

/** A policy that answers to approvals can add rules to. Each addition compiles a new one, which replaces the old one. */
export class GrowingPolicy implements Policy {
  readonly #first: Policy;
  #policy: Policy;

  constructor(definition: PolicyDefinition) {
    this.#first = compilePolicy(definition);
    this.#policy = this.#first;
  }

  get mode(): Policy["mode"] {
    return this.#policy.mode;
  }

  get definition(): Policy["definition"] {
    return this.#policy.definition;
  }

  decide(call: PolicyCall, context: PolicyContext): Decision | Promise<Decision> {
    return this.#policy.decide(call, context);
  }

  leavesOut(call: PolicyCall, context: PolicyContext): readonly string[] {
    return this.#policy.leavesOut?.(call, context) ?? [];
  }

  pathDenies(call: PolicyCall, context: PolicyContext): PathDenies | undefined {
    return this.#policy.pathDenies?.(call, context);
  }

  exactRules(call: PolicyCall, context: PolicyContext, decision: Decision): readonly Rule[] {
    return this.#policy.exactRules(call, context, decision);
  }

  explain(call: PolicyCall, context: PolicyContext): Promise<Explanation> {
    return this.#policy.explain(call, context);
  }

  /** A copy with these rules added. @throws ToolkeepError `invalid_rule`. */
  withRules(rules: readonly (Rule | string)[]): Policy {
    return this.#policy.withRules(rules);
  }

  /** @throws ToolkeepError `invalid_rule`. */
  add(rule: Rule): void {
    this.#policy = this.withRules([rule]);
  }

  /** Removes the rules that were added. */
  forget(): void {
    this.#policy = this.#first;
  }
}
