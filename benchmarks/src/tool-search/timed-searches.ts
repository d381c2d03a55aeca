import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Find } from "./recall.ts";

/** Milliseconds of a search: the median and the 99th percentile. */
export interface SearchTimes {
  readonly p50: number;
  readonly p99: number;
}

/** The queries, and the number of rounds. */
export interface Rounds {
  readonly queries: readonly string[];
  readonly rounds: number;
}

/**
 * Times every query in several rounds, once the code is warm, and takes the best round of each query: the others
 * include the noise of the machine.
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

/** A value, the time to create it, and the memory that it retains. */
export interface Made<Value> {
  readonly value: Value;
  readonly milliseconds: number;
  readonly megabytes: number;
}

/** Creates a value twice and measures the second time, when the code is compiled and the strings are flat. */
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
  // The memory of typed arrays is freed in a later turn of the event loop than their owners.
  for (let time = 0; time < 5; time += 1) {
    collect();
    await setTimeout(10);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}
