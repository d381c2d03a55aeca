import type { PolicyDefinition } from "../contract/decision.ts";
import type { Rule } from "../contract/rule.ts";
import { compilePolicy, type Policy } from "./compile-policy.ts";

/** A policy that a person's answer may add rules to. Each addition makes a new one; the old decides no more. */
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

  get definition(): PolicyDefinition {
    return this.#policy.definition;
  }

  decide(...heard: Parameters<Policy["decide"]>): ReturnType<Policy["decide"]> {
    return this.#policy.decide(...heard);
  }

  explain(...heard: Parameters<Policy["explain"]>): ReturnType<Policy["explain"]> {
    return this.#policy.explain(...heard);
  }

  /** As it would be with these rules. @throws ToolkeepError `invalid_rule`. */
  withRules(rules: readonly Rule[]): Policy {
    return this.#policy.withRules(rules);
  }

  /** @throws ToolkeepError `invalid_rule`. */
  add(rule: Rule): void {
    this.#policy = this.withRules([rule]);
  }

  /** Without what was added. */
  forget(): void {
    this.#policy = this.#first;
  }
}
