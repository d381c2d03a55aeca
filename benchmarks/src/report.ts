import { parseArgs } from "node:util";
import { rounded } from "./statistics.ts";

/** One goal and whether the measured value meets it. */
export interface Goal {
  readonly name: string;
  readonly value: number;
  readonly goal: string;
  readonly ok: boolean;
}

/** One measured row, without the columns that do not apply. */
export interface Figure {
  readonly name: string;
  readonly [column: string]: string | number;
}

/** The output of one benchmark or campaign. */
export interface Report {
  readonly name: string;
  readonly goals: readonly Goal[];
  readonly figures: readonly Figure[];
}

/** The options of every benchmark. */
export interface RunOptions {
  readonly json: boolean;
  readonly quick: boolean;
}

/** Reads `--json` and `--quick` from the command line. */
export function readOptions(): RunOptions {
  const { values } = parseArgs({
    options: { json: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
  });
  return values;
}

/** Compares a value with a goal such as `<= 2` or `>= 5`. */
export function evaluate(name: string, value: number, goal: `${"<=" | ">="} ${number}`): Goal {
  const shown = rounded(value);
  const limit = Number(goal.slice(3));
  const ok = goal.startsWith("<=") ? shown <= limit : shown >= limit;
  return { name, value: shown, goal, ok };
}

/** Prints the tables for people and, on request, the report as one last line of JSON. */
export function printReport(report: Report, options: RunOptions): void {
  console.log(`${report.name}\n`);
  console.log(`${formatTable(report.figures)}\n`);
  if (report.goals.length > 0)
    console.log(formatTable(report.goals.map(({ ok, ...goal }) => ({ ...goal, met: ok ? "yes" : "NO" }))));
  if (options.json) console.log(JSON.stringify(report));
}

/** Writes progress to stderr, so that stdout contains only the report. */
export function progress(text: string): void {
  console.error(`  ${text}`);
}

/** A Markdown table, its columns padded so that it also reads well in a terminal. */
export function formatTable(rows: readonly Figure[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? "")))];
  const widths = columns.map((_, index) => Math.max(3, ...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map(
    (line) => `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`,
  );
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}
