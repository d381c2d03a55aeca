import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Find } from "./recall.ts";

/** Milliseconds a search takes: that of the query in the middle, and what one query in a hundred exceeds. */
export interface SearchTimes {
  readonly p50: number;
  readonly p99: number;
}

/** What to ask, and how often. */
export interface Rounds {
  readonly queries: readonly string[];
  readonly rounds: number;
}

/**
 * Times every query by itself in several rounds, once the code is warm. The best round of each query
 * stands for it: the others hold what the machine was doing besides.
 */
export function timeSearches(find: Find, { queries, rounds }: Rounds): SearchTimes {
  const warm = performance.now() + WARM_MILLISECONDS;
  do for (const query of queries) find(query, 5);
  while (performance.now() < warm);
  const best = new Float64Array(queries.length).fill(Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, query] of queries.entries()) {
      const start = performance.now();
      find(query, 5);
      best[at] = Math.min(best[at] ?? 0, performance.now() - start);
    }
  }
  best.sort();
  return { p50: quantile(0.5), p99: quantile(0.99) };

  function quantile(share: number): number {
    return best[Math.floor(share * best.length)] ?? Number.NaN;
  }
}

const WARM_MILLISECONDS = 1_000;

/** What was made, how long that took, and how much memory it holds when all else is gone. */
export interface Made<Value> {
  readonly value: Value;
  readonly milliseconds: number;
  readonly megabytes: number;
}

/** Makes something twice, and measures the second time: the first one leaves compiled code and flat strings. */
export async function measureMaking<Value>(make: () => Value): Promise<Made<Value>> {
  make();
  const before = await usedMegabytes();
  const start = performance.now();
  const value = make();
  const milliseconds = performance.now() - start;
  return { value, milliseconds, megabytes: (await usedMegabytes()) - before };
}

async function usedMegabytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  // The memory of typed arrays is given back only in a turn after their owners were collected.
  for (let time = 0; time < 5; time += 1) {
    collect();
    await setTimeout(10);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}
