import { globSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROWS } from "../tests/conformance/rows.ts";
import { type EvaluatedRow, evaluateRows, unknownNumbers, unmetRows } from "./conformance/evaluate-rows.ts";
import { type RowReport, readReport } from "./conformance/read-report.ts";
import { readRowRanges } from "./conformance/row-ranges.ts";
import { readStates, summary, writeTable } from "./conformance/table.ts";
import { ROOT } from "./root.ts";
import { runProgram } from "./run-program.ts";

const PAGE = "docs/conformance.md";

const { values: flags } = parseArgs({
  options: {
    strict: { type: "boolean", default: false },
    rows: { type: "string" },
    from: { type: "string" },
  },
});

const report = readReport(flags.from ? readFileSync(flags.from, "utf8") : await runRowTests());
const evaluated = evaluateRows({
  rows: ROWS,
  tests: report.tests,
  before: readStates(await committedPage()),
});
const errors = [
  ...errorsOf(report, evaluated),
  ...(flags.strict ? strictErrors(evaluated) : []),
  ...publish(evaluated),
];

console.log(summary(evaluated));
for (const error of errors) console.error(error);
process.exitCode = errors.length === 0 ? 0 : 1;

async function runRowTests(): Promise<string> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "conformance-"));
  const file = join(folder.path, "report.json");
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const options = ["-t", String.raw`\[C\d+\]`, "--reporter=json", `--outputFile=${file}`];
  await runProgram([process.execPath, vitest, "run", ...rowTestFiles(), ...options], { show: true });
  return readFileSync(file, "utf8");
}

/** The test files with a row's number in them; the others have nothing to say here, and take long to load. */
function rowTestFiles(): string[] {
  const files = globSync("{packages/*/src,tests,benchmarks/src}/**/*.test.ts", { cwd: ROOT });
  return files.filter((file) => /\[C\d+\]/.test(readFileSync(join(ROOT, file), "utf8"))).sort();
}

/** The page as last committed, so that running twice does not forget that a row has passed. */
async function committedPage(): Promise<string> {
  const committed = await runProgram(["git", "show", `HEAD:${PAGE}`]);
  return committed.code === 0 ? committed.stdout : pageOnDisk();
}

function pageOnDisk(): string {
  try {
    return readFileSync(join(ROOT, PAGE), "utf8");
  } catch {
    return "";
  }
}

function errorsOf(from: RowReport, rows: readonly EvaluatedRow[]): string[] {
  return [
    ...from.brokenFiles.map((file) => `${file} did not load`),
    ...unknownNumbers(ROWS, from.tests).map((id) => `a test is titled [${id}], but there is no such row`),
    ...rows.filter(({ state }) => state === "fail").map(({ row, reason }) => `${row.id} fails: ${reason}`),
  ];
}

function strictErrors(rows: readonly EvaluatedRow[]): string[] {
  const demanded = flags.rows ? readRowRanges(flags.rows) : undefined;
  return unmetRows(rows)
    .filter((row) => demanded?.has(row.id) ?? true)
    .map((row) => `${row.id} has no passing test, and does not say what it awaits: ${row.words}`);
}

/** Writes the page; in CI only compares it, because nothing written there is committed. */
function publish(rows: readonly EvaluatedRow[]): string[] {
  const page = writeTable(rows);
  const { CI = "" } = process.env;
  if (CI === "" || CI === "false") {
    writeFileSync(join(ROOT, PAGE), page);
    return [];
  }
  const before = pageOnDisk();
  if (before === page) return [];
  const known = new Set(before.split("\n"));
  const changed = page.split("\n").filter((line) => line.startsWith("| C") && !known.has(line));
  return [`${PAGE} is out of date: run \`npm run conformance\` and commit it.`, ...changed.slice(0, 10)];
}
