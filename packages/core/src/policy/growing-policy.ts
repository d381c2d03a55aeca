import type { JudgedCall } from "../contract/call.ts";
import type { Circumstances } from "../contract/circumstances.ts";
import type { Decision, PolicyDefinition } from "../contract/decision.ts";
import type { PathDenies } from "../contract/path-denies.ts";
import type { Rule } from "../contract/rule.ts";
import { compilePolicy, type Policy } from "./compile-policy.ts";
import type { Explanation } from "./explanation.ts";

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

  decide(call: JudgedCall, circumstances: Circumstances): Decision | Promise<Decision> {
    return this.#policy.decide(call, circumstances);
  }

  leavesOut(call: JudgedCall, circumstances: Circumstances): readonly string[] {
    return this.#policy.leavesOut?.(call, circumstances) ?? [];
  }

  pathDenies(call: JudgedCall, circumstances: Circumstances): PathDenies | undefined {
    return this.#policy.pathDenies?.(call, circumstances);
  }

  explain(call: JudgedCall, circumstances: Circumstances): Promise<Explanation> {
    return this.#policy.explain(call, circumstances);
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
