import { commandOutput } from "./host/command-output.ts";
import { guardedRead } from "./host/guarded-read.ts";
import { journalAppends } from "./host/journal-appends.ts";
import { sandboxedTrue } from "./host/sandboxed-true.ts";
import { type SpawnGrowth, spawnGrowth } from "./host/spawn-growth.ts";
import { evaluate, type Figure, type Goal, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

const options = readOptions();
const ballast = options.quick ? 400 : 1_500;

const grown = await spawnGrowth(options.quick ? 25 : 101, ballast);
const profile = await sandboxedTrue(options.quick ? 15 : 101);
// A session may keep 1 GB, and one command half of the rest.
const poured = await commandOutput(options.quick ? 5 : 7, 100_000_000);
const appends = await journalAppends(options.quick ? 11 : 41, 100);
const reads = await guardedRead(options.quick ? 21 : 101);

const times = new Map([...profile, ...poured.times, ...appends, ...reads]);
if (!times.has("sandbox-runtime")) progress("sandbox-runtime did not run here, so it is not compared");
printReport(
  {
    name: "bench:host",
    goals: [
      evaluate("our sandbox / bare bwrap, `true`", ratio("our sandbox", "bare bwrap"), "<= 1.4"),
      ...(times.has("sandbox-runtime")
        ? [
            evaluate(
              "our sandbox / sandbox-runtime, `true`",
              ratio("our sandbox", "sandbox-runtime"),
              "<= 0.2",
            ),
          ]
        : []),
      ...growthGoals(grown),
      evaluate(
        "100 MB kept / written by the shell",
        ratio("stored by a tool's command", "to a file by the shell"),
        "<= 1.1",
      ),
      evaluate("memory growth over 100 MB outputs, MB", poured.grownMegabytes, "<= 32"),
      evaluate("journal / bare inserts, batches of 100", ratio("journal", "bare inserts"), "<= 1.2"),
      evaluate("guarded read / fs.readFile, 200 KB", ratio("guarded read", "fs.readFile"), "<= 2"),
    ],
    figures: [
      ...times
        .entries()
        .map(([name, rounds]): Figure => ({ name, value: rounded(median(rounds)), unit: "ms" })),
      ...growthFigures(grown),
    ],
  },
  options,
);

function ratio(numerator: string, denominator: string): number {
  return medianRatio(times.get(numerator) ?? [], times.get(denominator) ?? []);
}

function growthGoals({ small, large, smallMegabytes, largeMegabytes }: SpawnGrowth): readonly Goal[] {
  const growth = `${rounded(smallMegabytes)} to ${rounded(largeMegabytes)} MB`;
  const spent = (samples: typeof small) => samples.map(({ spawner }) => spawner.milliseconds);
  const blocked = (samples: typeof small) => samples.map(({ spawner }) => spawner.blocked);
  return [
    evaluate(`spawn by a host of ${growth}, growth`, medianRatio(spent(large), spent(small)), "<= 1.3"),
    evaluate(`loop blocked by a spawn of the large host, ms`, median(blocked(large)), "<= 1"),
  ];
}

function growthFigures({ small, large }: SpawnGrowth): readonly Figure[] {
  const ways = ["spawner", "direct"] as const;
  return [
    ...([
      ["small", small],
      ["large", large],
    ] as const),
  ].flatMap(([size, samples]) =>
    ways.flatMap((way): Figure[] => [
      {
        name: `${way} spawn, ${size} host`,
        value: rounded(median(samples.map((one) => one[way].milliseconds))),
        unit: "ms",
      },
      {
        name: `loop blocked, ${way}, ${size} host`,
        value: rounded(median(samples.map((one) => one[way].blocked))),
        unit: "ms",
      },
    ]),
  );
}
