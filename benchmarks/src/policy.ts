import { compileGlob } from "../../packages/core/src/policy/patterns/compile-glob.ts";
import {
  assertSameDecisions,
  freshDecision,
  loopDecision,
  mapLookup,
  type Repeated,
  repeatedDecision,
} from "./policy/decision-tasks.ts";
import { interleavedRounds } from "./policy/interleaved-rounds.ts";
import { fuzzPaths } from "./policy/picomatch-fuzz.ts";
import { evaluate, type Figure, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

const options = readOptions();
const sizes = [10, 100, 1_000, 10_000];
const WITH_WATCHDOGS = "new decision, 1,000 rules, with the watchdogs that ship";
const repetitions: readonly Repeated[] = ["new strings", "same strings"];

await assertSameDecisions(1_000, 2_000);
const times = interleavedRounds(
  [
    ...sizes.map((rules) => freshDecision(fresh(rules), rules)),
    freshDecision(WITH_WATCHDOGS, 1_000, "watchdogs"),
    ...sizes.map((rules) => loopDecision(loop(rules), rules)),
    ...repetitions.flatMap((repeated) => [
      repeatedDecision(again(repeated), 1_000, repeated),
      mapLookup(lookup(repeated), 1_000, repeated),
    ]),
  ],
  {
    rounds: options.quick ? 21 : 61,
    sampleMilliseconds: 8,
    warmMilliseconds: options.quick ? 200 : 500,
  },
);

const pairs = options.quick ? 20_000 : 1_000_000;
const seed = Date.now() % 2 ** 32;
progress(`${pairs.toLocaleString("en")} pairs against picomatch, seed ${seed}`);
const fuzz = fuzzPaths(compileGlob, { pairs, seed });
for (const example of fuzz.examples) progress(example);

printReport(
  {
    name: "bench:policy",
    goals: [
      evaluate("picomatch loop / decision, 1,000 rules", ratio(loop(1_000), fresh(1_000)), ">= 50"),
      evaluate("decision with 10,000 rules / 1,000", ratio(fresh(10_000), fresh(1_000)), "<= 3"),
      evaluate("repeated decision / Map.get", ratio(again("new strings"), lookup("new strings")), "<= 2"),
      evaluate(`differences from picomatch, ${pairs.toLocaleString("en")} pairs`, fuzz.differences, "<= 0"),
    ],
    figures: [
      ...times
        .keys()
        .map((name): Figure => ({ name, value: rounded(median(times.get(name) ?? []) / 1000), unit: "µs" })),
      { name: "pairs that matched", value: fuzz.matched, unit: "" },
      { name: "pairs forbidden where picomatch takes `**` for more", value: fuzz.wider, unit: "" },
    ],
  },
  options,
);

function fresh(rules: number): string {
  return `new decision, ${rules.toLocaleString("en")} rules`;
}

function loop(rules: number): string {
  return `picomatch loop, ${rules.toLocaleString("en")} rules`;
}

function again(repeated: Repeated): string {
  return `repeated decision, 1,000 rules, ${repeated}`;
}

function lookup(repeated: Repeated): string {
  return `Map.get on the same targets, ${repeated}`;
}

function ratio(numerator: string, denominator: string): number {
  return medianRatio(times.get(numerator) ?? [], times.get(denominator) ?? []);
}
