import type { LabelledQuery } from "./labelled-sets.ts";

/** Finds the ids of the best tools for a query, best first. */
export type Find = (query: string, limit: number) => readonly string[];

/** Recall at five in percent: the share of a query's labelled tools among the first five, averaged over queries. */
export function recallAtFive(find: Find, queries: readonly LabelledQuery[]): number {
  let sum = 0;
  for (const { query, gold } of queries) {
    const found = find(query, 5);
    sum += gold.filter((id) => found.includes(id)).length / gold.length;
  }
  return (100 * sum) / queries.length;
}
