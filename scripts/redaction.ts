import { evaluate, type Figure, printReport, progress, readOptions } from "../benchmarks/src/report.ts";
import { type LookTime, measureAlarms, measureCaught, measureTime } from "../tests/redaction/measure.ts";
import { PLACES } from "../tests/redaction/places.ts";
import { SECRET_KINDS } from "../tests/redaction/secret-kinds.ts";

/** How many secrets are found, how many texts without one are taken for one, and how long it takes to look. */
const options = readOptions();
const BENIGN = 5_000;
const MOST_SHOWN = 20;

const ROUNDS = options.quick ? 61 : 301;

// What the engine has compiled for texts with many kinds of secrets is slower for texts without any: both are shown.
const times = measureTime(ROUNDS);
const caught = measureCaught(options.quick ? 1 : 20);
const alarms = measureAlarms(BENIGN);
const timesAfter = measureTime(ROUNDS);
const slowest = Math.max(...Object.values(times).map(({ least }) => least));

for (const { kind, place } of caught.missed.slice(0, MOST_SHOWN)) progress(`missed: ${kind}, ${place}`);
for (const { source, found } of alarms.alarms.slice(0, MOST_SHOWN))
  progress(`false alarm: ${source}: ${found.map((one) => JSON.stringify(one)).join("; ")}`);

const percent = (part: number, all: number) => (100 * part) / all;
const share = percent(caught.all - caught.missed.length, caught.all);
const former = percent(caught.before, caught.all);

printReport(
  {
    name: "redaction",
    goals: [
      evaluate("kinds of secrets", SECRET_KINDS.length, ">= 150"),
      evaluate("places", Object.keys(PLACES).length, ">= 6"),
      evaluate("secrets caught, %", share, ">= 99"),
      evaluate("texts without secrets", alarms.all, ">= 5000"),
      evaluate("false alarms, % of them", percent(alarms.alarms.length, alarms.all), "<= 0.2"),
      evaluate("4 KB without a secret, µs", slowest, "<= 20"),
      // A measure that the former shapes pass as well would measure nothing.
      evaluate("caught more than by the former shapes, %", share - former, ">= 30"),
    ],
    figures: [
      { name: "secrets tried", value: caught.all, unit: "" },
      { name: "caught by the former shapes", value: Math.round(former * 10) / 10, unit: "%" },
      { name: "false alarms", value: alarms.alarms.length, unit: "texts" },
      ...timeFigures(times, ""),
      ...timeFigures(timesAfter, ", after everything else"),
    ],
  },
  options,
);

function timeFigures(measured: Readonly<Record<string, LookTime>>, when: string): readonly Figure[] {
  return Object.entries(measured).flatMap(([name, { least, median }]) =>
    Object.entries({ least, median }).map(([of, value]) => ({
      name: `4 KB of ${name}${when}, ${of} of ${ROUNDS} rounds`,
      value: Math.round(value * 10) / 10,
      unit: "µs",
    })),
  );
}
