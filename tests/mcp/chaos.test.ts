import { expect, test } from "vitest";
import { BEHAVIOURS } from "./chaos/behaviour.ts";
import { type ChaosCall, openCampaign, TIMES } from "./chaos/campaign.ts";
import { leftProcesses } from "./chaos/left-processes.ts";

const rounds = Number(process.env["TOOLKEEP_RUNS"] ?? 10);
const seed = Number(process.env["TOOLKEEP_SEED"] ?? 20_261_115);

/** Until a call that is out of time is told so, on a machine that others use as well or that is slow. */
const GRACE_MS = process.env["TOOLKEEP_RUNS"] === undefined ? 30_000 : 2_500;
const MOST_GROWTH = 64 * 2 ** 20;

test.skipIf(process.platform !== "linux")(
  `in ${rounds} rounds with servers that misbehave every call settles in time, and no process is left (on Linux)`,
  async () => {
    const campaign = await openCampaign(numbersFrom(seed));
    const calls: ChaosCall[] = [];
    const heap: number[] = [];
    try {
      for (let round = 0; round < rounds; round += 1) {
        calls.push(...(await campaign.round()));
        if (round % 10 === 9) heap.push(heapUsed());
        await campaign.settled();
      }
      // Whatever is left is found by this.
      expect(leftProcesses(campaign.marker).length).toBeGreaterThan(0);
    } finally {
      await campaign.close();
    }
    expect(calls).toHaveLength(5 * rounds);
    const late = calls.filter(({ tookMs }) => tookMs > TIMES.longestMs + GRACE_MS);
    expect(late).toEqual([]);
    const misled = calls.filter(({ ok, behaviour }) => ok && !MAY_SUCCEED.has(behaviour));
    expect(misled).toEqual([]);
    expect(calls.filter(({ ok, code }) => !ok && !EXPECTED.has(code ?? ""))).toEqual([]);
    expect(calls.some(({ ok }) => ok)).toBe(true);
    expect(leftProcesses(campaign.marker)).toEqual([]);
    if (heap.length >= 4)
      expect(Math.max(...heap.slice(-2)) - Math.max(...heap.slice(0, 2))).toBeLessThan(MOST_GROWTH);
    report(calls, heap);
  },
);

/** What a server does after these still lets a call succeed. */
const MAY_SUCCEED: ReadonlySet<string> = new Set(["answer", "answer-late", "twice", "change-tools"]);

/** A tool that is put in review while the user looks at it is not found. */
const EXPECTED: ReadonlySet<string> = new Set([
  "unavailable",
  "timed_out",
  "tool_failed",
  "too_large",
  "outcome_unknown",
  "not_found",
]);

/** The same numbers for the same seed. */
function numbersFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** For campaigns: what came of which behaviour. */
function report(calls: readonly ChaosCall[], heap: readonly number[]): void {
  if (process.env["TOOLKEEP_RUNS"] === undefined) return;
  for (const behaviour of BEHAVIOURS) {
    const some = calls.filter((call) => call.behaviour === behaviour);
    const codes = Object.entries(Object.groupBy(some, ({ code = "ok" }) => code)).map(
      ([code, list]) => `${code} ${list?.length}`,
    );
    const longest = Math.max(0, ...some.map(({ tookMs }) => tookMs));
    console.log(`${behaviour}: ${codes.join(", ")}; longest ${Math.round(longest)} ms`);
  }
  console.log(`heap, MB: ${heap.map((bytes) => Math.round(bytes / 2 ** 20)).join(" ")}`);
}
