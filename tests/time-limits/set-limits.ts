import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, expect, vi } from "vitest";
import { inCrowd } from "./crowd.ts";

/**
 * Gives the tests and hooks of a file ten times their usual time, and fails a test that takes more for itself or asks
 * to be tried again: a test that became a hundred times slower, or that fails every other time, is a failure.
 *
 * `usual-seconds.json` has the files whose slowest test, or their hooks, usually take more than two seconds.
 * `npm run time-limits` writes it from the times of `.ci/run` on two quiet cores.
 */
const ROOT = join(import.meta.dirname, "../..");
const USUAL: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "usual-seconds.json"), "utf8"),
);
const TIMES = 10;
/** A long check does all of what a sample is taken of otherwise. */
const SAMPLES = process.env["TOOLKEEP_LONG"] === undefined ? 1 : 10;
const LEAST_MS = 20_000;
/** A campaign takes as long as it is told to. */
const isCampaign = process.env["TOOLKEEP_RUNS"] !== undefined;

const file = relative(ROOT, expect.getState().testPath ?? "");
const ms = inCrowd(SAMPLES * Math.max(LEAST_MS, TIMES * 1_000 * (USUAL[file] ?? 0)));
const limit = isCampaign ? 24 * 3_600_000 : ms;

// Polls end before the test does, because their error says what was waited for.
vi.setConfig({ testTimeout: limit, hookTimeout: limit, expect: { poll: { timeout: ms / 2 } } });

beforeEach(({ task }) => {
  if (task.retry)
    throw new Error("A test has no option retry: it hides a race. Wait for the event that the test needs.");
  if (task.timeout > limit)
    throw new Error(
      `This test asks for ${task.timeout} ms, and ${file} has ${limit}. Leave that limit out, and write the usual time into tests/time-limits/usual-seconds.json.`,
    );
});
