import { BETWEEN, callTimes, FIRST_LIST, listTimes, NEXT_LIST } from "./mcp/gateway-figures.ts";
import type { Wire } from "./mcp/serve-on.ts";
import { evaluate, type Figure, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

const options = readOptions();
const WIRES: readonly Wire[] = ["stdio", "http"];
const TOOLS = options.quick ? 200 : 5_000;

const times = new Map<string, readonly number[]>();
for (const wire of WIRES) {
  progress(`calls over ${wire}`);
  const measured = await callTimes(wire, options.quick ? 7 : 61, options.quick ? 25 : 100);
  for (const [name, list] of measured) times.set(name, list);
}
progress(`lists of ${TOOLS} tools`);
for (const [name, list] of await listTimes(TOOLS, options.quick ? 2 : 11)) times.set(name, list);

printReport(
  {
    name: "bench:mcp",
    goals: WIRES.flatMap((wire) => [
      evaluate(
        `a call, gateway in memory / pass-through, ${wire}`,
        ratio(BETWEEN.memory(wire), BETWEEN.bare(wire)),
        "<= 1.7",
      ),
      evaluate(
        `a call, gateway with SQLite / pass-through, ${wire}`,
        ratio(BETWEEN.sqlite(wire), BETWEEN.bare(wire)),
        "<= 1.9",
      ),
    ]),
    figures: [
      ...times.entries().map(([name, list]): Figure => ({ name, value: rounded(median(list)), unit: "ms" })),
      {
        name: `first tools/list of ${TOOLS}, gateway / pass-through`,
        value: rounded(ratio(FIRST_LIST.ours, FIRST_LIST.bare)),
        unit: "x",
      },
      {
        name: `tools/list of ${TOOLS} again, gateway / pass-through`,
        value: rounded(ratio(NEXT_LIST.ours, NEXT_LIST.bare)),
        unit: "x",
      },
    ],
  },
  options,
);

function ratio(numerator: string, denominator: string): number {
  return medianRatio(times.get(numerator) ?? [], times.get(denominator) ?? []);
}
