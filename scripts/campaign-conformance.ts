import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Mutation, mutated, readMutations } from "./conformance/mutations.ts";
import { type RowTest, readReport } from "./conformance/read-report.ts";
import { readRowRanges } from "./conformance/row-ranges.ts";
import { ScratchTree } from "./conformance/scratch-tree.ts";
import { ROOT } from "./root.ts";
import { runProgram } from "./run-program.ts";

/*
 * Breaks the code of each row in a copy of the tree, and demands that a test of the row fails. Without a mutation
 * all of them pass. `--rows C1-C17` plays some, `--quick` a fixed five.
 */
const { values: flags } = parseArgs({
  options: { rows: { type: "string" }, quick: { type: "boolean", default: false } },
});

/** One for each layer: arguments, errors, I/O, rules and budgets. Their tests are fast. */
const QUICK = "C13,C41,C62,C75,C90";

const wanted = flags.quick ? readRowRanges(QUICK) : flags.rows ? readRowRanges(flags.rows) : undefined;
const mutations = readMutations(ROOT).filter(({ row }) => wanted?.has(row) ?? true);
using tree = new ScratchTree(ROOT);

const errors = [...(await control()), ...(await playAll())];
for (const error of errors) console.error(error);
console.log(
  `${mutations.length} mutations: ${mutations.length - errors.length} found by the tests of their rows.`,
);
process.exitCode = errors.length === 0 && mutations.length > 0 ? 0 : 1;

/** The tests of all rows pass as long as nothing is broken. */
async function control(): Promise<string[]> {
  const rows = new Set(mutations.map(({ row }) => row));
  const tests = await testsOf([...new Set(mutations.map(({ test }) => test))], [...rows]);
  const failed = tests.filter(({ outcome }) => outcome === "failed");
  return failed.map(({ title, file }) => `control: "${title}" in ${file} fails without a mutation`);
}

async function playAll(): Promise<string[]> {
  const missed: string[] = [];
  for (const mutation of mutations) {
    const error = await play(mutation).catch((thrown: Error) => thrown.message);
    console.log(`${error === undefined ? "found " : "MISSED"} ${mutation.row} ${mutation.file}`);
    if (error !== undefined) missed.push(error);
  }
  return missed;
}

async function play(mutation: Mutation): Promise<string | undefined> {
  const { row, file, find, test } = mutation;
  const tests = await tree.with(file, mutated(mutation, ROOT), () => testsOf([test], [row]));
  if (tests.some(({ rows, outcome }) => rows.includes(row) && outcome === "failed")) return undefined;
  return `${row}: no test of it in ${test} fails without ${JSON.stringify(find)} in ${file}`;
}

async function testsOf(files: readonly string[], rows: readonly string[]): Promise<readonly RowTest[]> {
  const report = join(tree.path, "report.json");
  const names = String.raw`\[(?:${rows.join("|")})\]`;
  const args = ["run", ...files, "-t", names, "--project=sharing", "--project=alone"];
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  // What an earlier run left would stand for one that wrote nothing.
  rmSync(report, { force: true });
  const reporting = ["--reporter=json", `--outputFile=${report}`];
  await runProgram([process.execPath, vitest, ...args, ...reporting], { cwd: tree.path });
  const { tests, brokenFiles } = readReport(readFileSync(report, "utf8"), tree.path);
  if (brokenFiles.length > 0) throw new Error(`${rows.join(", ")}: ${brokenFiles.join(", ")} did not load`);
  return tests;
}
