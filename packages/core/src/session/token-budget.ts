import type { Budget } from "../contract/values/budget.ts";

export interface BudgetOptions {
  /** How many tokens of arguments a turn may send. */
  readonly tokens?: number;
  /** How many calls a turn may make. */
  readonly calls?: number;
}

const DEFAULT_BUDGET_TOKENS = 8_000;

/** A source of budgets: each turn gets one of its own, so that no turn spends another's. */
export async function createBudgets({
  tokens = DEFAULT_BUDGET_TOKENS,
  calls = Number.POSITIVE_INFINITY,
}: BudgetOptions) {
  const countTokens = await tokenCounter();
  return (): Budget => {
    let spentTokens = 0;
    let spentCalls = 0;
    return {
      charge(argsText) {
        const cost = countTokens(argsText);
        if (spentTokens + cost > tokens || spentCalls + 1 > calls) return false;
        spentTokens += cost;
        spentCalls += 1;
        return true;
      },
      describe: () =>
        `${spentTokens} of ${tokens} tokens of arguments and ${spentCalls}${Number.isFinite(calls) ? ` of ${calls}` : ""} calls are spent`,
      reset() {
        spentTokens = 0;
        spentCalls = 0;
      },
    };
  };
}

/** Estimates how many tokens a text has. One estimate is used for budgets, prompts and windows. */
export async function tokenCounter(): Promise<(text: string) => number> {
  // Loaded with its first use: most sessions have none.
  const { estimateTokenCount } = await import("tokenx");
  return estimateTokenCount;
}
