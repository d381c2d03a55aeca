import type { Ask, Measured } from "./measure-task.ts";

/** How often a person is asked, over all tasks. */
interface Budget {
  readonly total: number;
  readonly median: number;
  readonly mean: number;
  readonly worst: number;
}

export function budgetOf(measured: readonly Measured[]): Budget {
  const counts = measured.map(({ asks }) => asks.length).toSorted((one, other) => one - other);
  const at = (index: number) => counts[Math.floor(index)] ?? 0;
  const total = counts.reduce((sum, count) => sum + count, 0);
  return {
    total,
    median: (at((counts.length - 1) / 2) + at(counts.length / 2)) / 2,
    mean: Math.round((100 * total) / counts.length) / 100,
    worst: Math.max(...counts),
  };
}

/** What asks again although the user said `always`. */
export function askedInVain({ asksAgain }: Measured): readonly Ask[] {
  return asksAgain.filter(({ mayRemember }) => mayRemember);
}
