import type { Ask, Measured } from "./measure-task.ts";

/** How often a person is asked, over all tasks. */
export interface Budget {
  readonly total: number;
  readonly median: number;
  readonly mean: number;
  readonly worst: number;
}

export function budgetOf(measured: readonly Measured[]): Budget {
  const counts = measured.map(({ asks }) => asks.length).toSorted((one, other) => one - other);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const middle = [
    counts[Math.floor((counts.length - 1) / 2)] ?? 0,
    counts[Math.floor(counts.length / 2)] ?? 0,
  ];
  return {
    total,
    median: ((middle[0] ?? 0) + (middle[1] ?? 0)) / 2,
    mean: Math.round((total / Math.max(counts.length, 1)) * 100) / 100,
    worst: counts.at(-1) ?? 0,
  };
}

/** What is asked again although somebody said `always` to it. */
export function askedInVain({ asksAgain }: Measured): readonly Ask[] {
  return asksAgain.filter(({ mayRemember }) => mayRemember);
}
