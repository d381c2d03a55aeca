import type { EndReason } from "./agent-event.ts";
import type { LoopLimits } from "./agent-options.ts";
import type { StepUsage } from "./model-reply.ts";

/** What runs have used, in the units of their limits. */
export interface UsedUp {
  readonly steps: number;
  readonly tokens: number;
  readonly calls: number;
}

/** What a run has used. A subagent uses what its parent has left. */
export class AgentBudget {
  readonly #limits: LoopLimits;
  readonly #parent: AgentBudget | undefined;
  #steps = 0;
  #tokens = 0;
  #calls = 0;

  constructor(limits: LoopLimits, parent?: AgentBudget) {
    this.#limits = limits;
    this.#parent = parent;
  }

  /** The limit that is reached, if one is. */
  get reached(): Extract<EndReason, "steps" | "tokens" | "calls"> | undefined {
    const { steps, tokens, calls } = this.#limits;
    if (this.#steps >= steps) return "steps";
    if (this.#tokens >= tokens) return "tokens";
    if (this.#calls >= calls) return "calls";
    return this.#parent?.reached;
  }

  step({ inputTokens, outputTokens }: StepUsage): void {
    this.#steps += 1;
    this.#tokens += inputTokens + outputTokens;
    this.#parent?.step({ inputTokens, outputTokens, cachedTokens: 0 });
  }

  /** Counts what was used before: by an earlier life of the run, or by subagents in it. */
  add(used: UsedUp): void {
    this.#steps += used.steps;
    this.#tokens += used.tokens;
    this.#calls += used.calls;
    this.#parent?.add(used);
  }

  /** Takes one call, or none if it does not fit: for the budget of a turn. */
  charge(): boolean {
    if (this.#calls >= this.#limits.calls || this.#parent?.charge() === false) return false;
    this.#calls += 1;
    return true;
  }

  describe(): string {
    return `${this.#calls} of ${this.#limits.calls} calls of this run are made`;
  }

  /** A budget is spent once. */
  reset(): void {}
}

/** Two usages together. */
export function addUsage(one: StepUsage, other: StepUsage): StepUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
  };
}
