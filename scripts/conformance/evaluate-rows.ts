import type { Row } from "../../tests/conformance/row.ts";
import type { RowTest } from "./read-report.ts";

/** Where a row stands; `planned` means that nothing real has passed yet, or that the row awaits something. */
export type RowState = "pass" | "fail" | "planned";

/** A row with its tests and the verdict on it. */
export interface EvaluatedRow {
  readonly row: Row;
  readonly tests: readonly RowTest[];
  readonly state: RowState;
  /** Why the row fails. */
  readonly reason?: string;
}

/** The rows, a run's tests, and the states of the last committed table. */
export interface Evidence {
  readonly rows: readonly Row[];
  readonly tests: readonly RowTest[];
  readonly before: ReadonlyMap<string, RowState>;
}

/** Evaluates every row by its tests. */
export function evaluateRows({ rows, tests, before }: Evidence): readonly EvaluatedRow[] {
  return rows.map((row) => {
    const own = tests.filter((test) => test.rows.includes(row.id));
    return { row, tests: own, ...evaluate(row, own, before.get(row.id) ?? "planned") };
  });
}

/** The numbers that tests carry although there is no such row. */
export function unknownNumbers(rows: readonly Row[], tests: readonly RowTest[]): readonly string[] {
  const known = new Set<string>(rows.map((row) => row.id));
  return [...new Set(tests.flatMap((test) => test.rows).filter((id) => !known.has(id)))];
}

/** The rows without a passing test that do not say what they await. */
export function unmetRows(rows: readonly EvaluatedRow[]): readonly Row[] {
  return rows
    .filter(({ row, state }) => state === "planned" && row.awaits === undefined)
    .map(({ row }) => row);
}

function evaluate(
  row: Row,
  tests: readonly RowTest[],
  before: RowState,
): Pick<EvaluatedRow, "state" | "reason"> {
  const failed = tests.filter((test) => test.outcome === "failed");
  if (failed.length > 0) return { state: "fail", reason: `${failed.length} failed: ${titles(failed)}` };
  if (row.awaits !== undefined) return { state: "planned" };
  const real = tests.filter((test) => !test.planned);
  if (real.some((test) => test.outcome === "passed")) return { state: "pass" };
  if (before === "planned") return { state: "planned" };
  return { state: "fail", reason: real.length > 0 ? "its tests no longer run" : "it has lost its tests" };
}

function titles(tests: readonly RowTest[]): string {
  return tests.map((test) => `"${test.title}" in ${test.file}`).join(", ");
}
