import { loadavg } from "node:os";
import { evaluate, type Figure, type Goal, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";
import {
  COPY,
  EDIT,
  EDIT_CALL,
  fullCollections,
  NUMBERED,
  oneFile,
  RAW,
  READ,
  READ_CALL,
  SAFE_EDIT,
  SMALL_CALL,
  SMALL_RAW,
  SYNCED,
} from "./tools/file-figures.ts";
import { generateRepository } from "./tools/generated-repository.ts";
import { BARE, OURS, wholeTree } from "./tools/search-figures.ts";
import { openToolBench } from "./tools/tool-bench.ts";

const options = readOptions();
const EDITS = 100;
const size = options.quick
  ? { files: 3_000, filesInFolder: 7, bytesInFile: 4_000 }
  : { files: 50_000, filesInFolder: 7, bytesInFile: 9_400 };

progress(`${size.files.toLocaleString("en")} files`);
using repository = generateRepository(size);
await using bench = await openToolBench(repository.root);
const times = new Map([
  ...(await wholeTree(bench, repository, options.quick ? 5 : 21)),
  ...(await oneFile(bench, repository.root, options.quick ? 11 : 61)),
]);

progress(`full collections of ${EDITS} edits`);
const collections = await fullCollections(bench, repository.root, EDITS);

printReport(
  {
    name: "bench:tools",
    goals: [
      ...(options.quick ? [] : treeGoals()),
      evaluate("read of 1 KB, whole call / fs.readFile", ratio(SMALL_CALL, SMALL_RAW), "<= 2"),
      evaluate("read with line numbers / text numbered, 200 KB", ratio(READ, NUMBERED), "<= 1"),
      evaluate("edit / bare safe edit, 1 MB", ratio(EDIT, SAFE_EDIT), "<= 2.2"),
      evaluate(`full collections, ${EDITS} edits of 1 MB`, collections, "<= 10"),
    ],
    figures: [
      { name: "files", value: repository.files, unit: "" },
      { name: "their size", value: rounded(repository.bytes / 1e6), unit: "MB" },
      ...times.keys().map((name): Figure => ({ name, value: milliseconds(name), unit: "ms" })),
      { name: "glob **/*.ts / rg --files", value: rounded(ratio(OURS.files, BARE.files)), unit: "x" },
      { name: "glob ** / rg --files", value: rounded(ratio(OURS.everything, BARE.files)), unit: "x" },
      {
        name: "edit, whole call / bare safe edit, 1 MB",
        value: rounded(ratio(EDIT_CALL, SAFE_EDIT)),
        unit: "x",
      },
      {
        name: "read, whole call / text numbered, 200 KB",
        value: rounded(ratio(READ_CALL, NUMBERED)),
        unit: "x",
      },
      // Wrong floors, kept next to the goals that replace them: a copy neither searches nor syncs, a raw read is not text.
      { name: "edit / copy, 1 MB (was a goal: <= 1.6)", value: rounded(ratio(EDIT, COPY)), unit: "x" },
      { name: "edit / synced copy, 1 MB", value: rounded(ratio(EDIT, SYNCED)), unit: "x" },
      { name: "read / raw read, 200 KB (was a goal: <= 5)", value: rounded(ratio(READ, RAW)), unit: "x" },
      { name: "load average of the last minute", value: rounded(loadavg()[0] ?? 0), unit: "" },
    ],
  },
  options,
);

/** In a small tree the comparison is mostly of the start of a process. */
function treeGoals(): readonly Goal[] {
  return [
    evaluate("grep / rg, rare word", ratio(OURS.rare, BARE.rare), "<= 1.1"),
    evaluate("grep, first 200 / rg, all of a frequent word", ratio(OURS.frequent, BARE.frequent), "<= 0.2"),
  ];
}

function milliseconds(name: string): number {
  return rounded(median(times.get(name) ?? []));
}

function ratio(numerator: string, denominator: string): number {
  return medianRatio(times.get(numerator) ?? [], times.get(denominator) ?? []);
}
