import { parseArgs } from "node:util";
import { createToolIndex, type ToolIndex } from "../../packages/tools/src/tool-search/create-tool-index.ts";
import type { ToolEntry } from "../../packages/tools/src/tool-search/tool-entry.ts";
import { evaluate, type Figure, type Goal, printReport, progress } from "./report.ts";
import { rounded } from "./statistics.ts";
import { fullTextSearch } from "./tool-search/full-text-search.ts";
import { isForTuning, type LabelledSet, readLabelledSets } from "./tool-search/labelled-sets.ts";
import { type Find, recallAtFive } from "./tool-search/recall.ts";
import { inventQueries, inventTools, recombineTools } from "./tool-search/synthetic-tools.ts";
import { measureMaking, timeSearches } from "./tool-search/timed-searches.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    data: { type: "string" },
  },
});
const SIZES = [
  { size: 10_339, goal: "<= 0.1" },
  { size: 100_000, goal: "<= 1" },
] as const;

const sets = options.data === undefined ? [] : readLabelledSets(options.data);
if (sets.length === 0) {
  progress(
    "RECALL WAS NOT MEASURED: pass --data FOLDER with the labelled sets. Speed is that of invented tools.",
  );
}
const recalls = sets.map(measureRecall);
const tools = allTools(sets);
const queries = everyday(sets, tools);
const speeds: Speed[] = [];
for (const size of SIZES) speeds.push(await measureSpeed(size));
const fullText = measureFullText();

printReport(
  {
    name: "bench:tools-search",
    goals: [...recallGoals(), ...speeds.flatMap(({ goals }) => goals)],
    figures: [
      ...recalls.map(({ figure }) => figure),
      ...(recalls.length === 0 ? [{ name: "recall@5", note: "not measured, no --data" }] : []),
      ...speeds.map(({ figure }) => figure),
      fullText,
    ],
  },
  options,
);

function measureRecall({ name, tools: entries, queries: labelled }: LabelledSet) {
  progress(`recall on ${name}`);
  const index = finder(createToolIndex(entries));
  const held = labelled.filter((query) => !isForTuning(query));
  const tuned = labelled.filter(isForTuning);
  const ours = recallAtFive(index, held);
  const plain = recallAtFive(fullTextSearch(entries, "unicode61"), held);
  const stemmed = recallAtFive(fullTextSearch(entries, "porter"), held);
  const figure: Figure = {
    name: `recall@5, ${name}, ${held.length} queries held out`,
    "recall %": rounded(ours),
    "FTS5 %": rounded(plain),
    "FTS5 porter %": rounded(stemmed),
    "tuning half %": rounded(recallAtFive(index, tuned)),
  };
  return { name, ours, lead: ours - Math.max(plain, stemmed), figure };
}

function recallGoals(): readonly Goal[] {
  if (recalls.length === 0) return [];
  const macro = recalls.reduce((sum, { ours }) => sum + ours, 0) / recalls.length;
  return [
    evaluate(`macro recall@5 over ${recalls.length} sets, held out`, macro, ">= 67"),
    ...recalls.map(({ name, lead }) => evaluate(`points above the better FTS5, ${name}`, lead, ">= 0")),
  ];
}

interface Speed {
  readonly goals: readonly Goal[];
  readonly figure: Figure;
}

async function measureSpeed({ size, goal }: (typeof SIZES)[number]): Promise<Speed> {
  const label = size.toLocaleString("en");
  progress(`${label} tools`);
  const entries = recombineTools(tools, size);
  const made = await measureMaking(() => {
    const index = createToolIndex(entries);
    // The first search sorts the lists, which is part of building the index.
    index.search("warm", 1);
    return index;
  });
  const times = timeSearches(finder(made.value), { queries, rounds: options.quick ? 5 : 9 });
  const change = await measureMaking(() => {
    made.value.add(entries.slice(0, 1));
    return made.value.search("warm", 1);
  });
  const perTenThousand = (made.megabytes * 10_000) / size;
  return {
    goals: [
      evaluate(`p50 of a search in ${label} tools, ms`, times.p50, goal),
      evaluate(`memory per 10,000 tools at ${label}, MB`, perTenThousand, "<= 6"),
    ],
    figure: {
      name: `search in ${label} tools`,
      "p50 ms": rounded(times.p50),
      "p99 ms": rounded(times.p99),
      "made in ms": rounded(made.milliseconds),
      "one tool changed, ms": rounded(change.milliseconds),
      MB: rounded(made.megabytes),
    },
  };
}

function measureFullText(): Figure {
  const [{ size }] = SIZES;
  progress(`FTS5 in ${size.toLocaleString("en")} tools`);
  const find = fullTextSearch(recombineTools(tools, size), "unicode61");
  const times = timeSearches(find, { queries: queries.slice(0, options.quick ? 50 : 200), rounds: 2 });
  return {
    name: `FTS5 in ${size.toLocaleString("en")} tools`,
    "p50 ms": rounded(times.p50),
    "p99 ms": rounded(times.p99),
  };
}

/** The tools of all sets in one index, with unique ids. */
function allTools(from: readonly LabelledSet[]): readonly ToolEntry[] {
  if (from.length === 0) return inventTools(10_000);
  return from.flatMap((set) => set.tools.map((tool) => ({ ...tool, id: `${set.name}/${tool.id}` })));
}

/** An even sample of the held-out queries, or synthetic ones. */
function everyday(from: readonly LabelledSet[], entries: readonly ToolEntry[]): readonly string[] {
  const most = options.quick ? 300 : 1_000;
  if (from.length === 0) return inventQueries(entries, most);
  const held = from.flatMap((set) => set.queries.filter((query) => !isForTuning(query)));
  const step = Math.max(1, Math.floor(held.length / most));
  return held.filter((_, at) => at % step === 0).map(({ query }) => query);
}

function finder(index: ToolIndex): Find {
  return (query, limit) => index.search(query, limit).map(({ id }) => id);
}
