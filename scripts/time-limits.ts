/**
 * Compares the usual seconds of test files, by which their time limits are set, with those of a run.
 * `npm run time-limits -- --from .cache/ci/times.jsonl [--write]`: `--write` takes the seconds of the run, which should
 * be one of all tests on two quiet cores. Without it, files are named whose limits are too long or nearly reached.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { FileTimes } from "../tests/time-limits/times-reporter.ts";
import { ROOT } from "./root.ts";

const PAGE = join(ROOT, "tests/time-limits/usual-seconds.json");
/** What takes no longer has the least limit. */
const LEAST = 2;
/** Runs differ: a time is another one if it is so many times as long. */
const NOISE = 3;

const { values: options } = parseArgs({
  options: { from: { type: "string" }, write: { type: "boolean", default: false } },
});
if (options.from === undefined)
  throw new Error("Name the times of a run: npm run time-limits -- --from .cache/ci/times.jsonl");

const usual = new Map<string, number>(Object.entries(JSON.parse(readFileSync(PAGE, "utf8"))));
const seen = secondsIn(readFileSync(options.from, "utf8"));
if (options.write) write();
else for (const line of differences()) console.log(line);

/** For each file the longest that a test or its hooks took, in all projects. */
function secondsIn(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of text.trimEnd().split("\n")) {
    const { file, slowest, hooks } = JSON.parse(line) as FileTimes;
    found.set(file, Math.max(found.get(file) ?? 0, slowest, hooks));
  }
  return found;
}

function write(): void {
  const rows = [...new Map([...usual, ...seen])]
    .filter(([, seconds]) => seconds > LEAST)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(PAGE, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}

function differences(): readonly string[] {
  return [...seen].flatMap(([file, seconds]) => {
    const known = usual.get(file) ?? LEAST;
    if (known > LEAST && known > Math.max(LEAST, seconds) * NOISE)
      return [`time-limits: ${file} took ${seconds} s, and ${known} s are called usual`];
    if (seconds > known * NOISE) return [`time-limits: ${file} took ${seconds} s, usually ${known} s`];
    return [];
  });
}
