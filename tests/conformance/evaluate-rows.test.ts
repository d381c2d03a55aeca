import { expect, test } from "vitest";
import {
  evaluateRows,
  type RowState,
  unknownNumbers,
  unmetRows,
} from "../../scripts/conformance/evaluate-rows.ts";
import { type RowTest, readReport } from "../../scripts/conformance/read-report.ts";
import { readRowRanges } from "../../scripts/conformance/row-ranges.ts";
import { readStates, writeTable } from "../../scripts/conformance/table.ts";
import { ROWS } from "./rows.ts";

const NOTHING_BEFORE: ReadonlyMap<string, RowState> = new Map();

test("there are 125 rows, numbered in order, and the table lists them all", () => {
  expect(ROWS.map((row) => row.id)).toEqual(Array.from({ length: 125 }, (_, index) => `C${index + 1}`));
  expect(readStates(writeTable(evaluated([]))).size).toBe(125);
});

test("a title may carry several numbers and the mark of a planned part", () => {
  const { tests } = report([
    ["[C44][C5] both", "passed"],
    ["[C6](planned) later", "passed"],
    ["no number", "passed"],
    ["about [C7]", "passed"],
  ]);
  expect(tests.map(({ rows, planned, title }) => ({ rows, planned, title }))).toEqual([
    { rows: ["C44", "C5"], planned: false, title: "both" },
    { rows: ["C6"], planned: true, title: "later" },
  ]);
});

test("a row passes by a real test, fails by any, and stays planned otherwise", () => {
  const states = statesAfter([
    ["[C1] works", "passed"],
    ["[C2] works", "passed"],
    ["[C2] breaks", "failed"],
    ["[C3] (planned) works on a fake", "passed"],
    ["[C4] cannot run here", "skipped"],
    ["[C5] (planned) works on a fake", "passed"],
    ["[C5] works", "passed"],
    ["[C6] (planned) breaks on a fake", "failed"],
  ]);
  expect(["C1", "C2", "C3", "C4", "C5", "C6", "C7"].map((id) => states.get(id))).toEqual([
    "pass",
    "fail",
    "planned",
    "planned",
    "pass",
    "fail",
    "planned",
  ]);
});

test("a row that has passed before fails once its tests are gone, and keeps failing", () => {
  const before = writeTable(evaluated(report([["[C1] works", "passed"]]).tests));
  const after = evaluated([], readStates(before));
  expect(after[0]).toMatchObject({ state: "fail", reason: "it has lost its tests" });
  expect(evaluated([], readStates(writeTable(after)))[0]?.state).toBe("fail");
});

test("a row that awaits something stays planned by passing tests, is not demanded, and fails by a failing one", () => {
  const awaiting = ROWS.filter(({ awaits }) => awaits !== undefined).map(({ id }) => id);
  expect(awaiting).toEqual(["C107", "C123", "C124"]);
  const before = new Map(awaiting.map((id) => [id, "pass" as const]));
  const passing = report(awaiting.map((id) => [`[${id}] a part of it`, "passed"])).tests;
  for (const tests of [passing, []]) {
    const planned = evaluated(tests, before).filter(({ row }) => awaiting.includes(row.id));
    expect(planned.map(({ state }) => state)).toEqual(awaiting.map(() => "planned"));
    expect(unmetRows(planned)).toEqual([]);
  }
  expect(writeTable(evaluated(passing))).toContain("*Awaits a screen");
  expect(statesAfter([["[C107] breaks", "failed"]]).get("C107")).toBe("fail");
});

test("a row is demanded until a real test passes, unless it says what it awaits", () => {
  const tests = report([
    ["[C1] works", "passed"],
    ["[C2] cannot run here", "skipped"],
    ["[C3] (planned) works on a fake", "passed"],
  ]).tests;
  const unmet = unmetRows(evaluated(tests)).map(({ id }) => id);
  expect(unmet.slice(0, 3)).toEqual(["C2", "C3", "C4"]);
  expect(unmet).toHaveLength(ROWS.filter(({ awaits }) => awaits === undefined).length - 1);
});

test("titles with pipes and line breaks do not break the table", () => {
  const rows = evaluated(report([["[C1] a | b\n| C2 | pass |", "passed"]]).tests);
  const states = readStates(writeTable(rows));
  expect([states.size, states.get("C1"), states.get("C2")]).toEqual([125, "pass", "planned"]);
});

test("a file that did not load and a number without a row are found", () => {
  const { brokenFiles } = readReport(
    JSON.stringify({ testResults: [{ name: "/repo/a.test.ts", status: "failed", assertionResults: [] }] }),
    "/repo",
  );
  expect(brokenFiles).toEqual(["a.test.ts"]);
  expect(unknownNumbers(ROWS, report([["[C126][C1] what", "passed"]]).tests)).toEqual(["C126"]);
});

test("row ranges are read, and anything else is refused", () => {
  expect([...readRowRanges("C1-C3,C9")]).toEqual(["C1", "C2", "C3", "C9"]);
  for (const text of ["", "C3-C1", "1-3", "C1–C3"]) expect(() => readRowRanges(text)).toThrow("no row");
});

function evaluated(tests: readonly RowTest[], before = NOTHING_BEFORE) {
  return evaluateRows({ rows: ROWS, tests, before });
}

function statesAfter(tests: readonly (readonly [title: string, status: string])[]) {
  return new Map<string, RowState>(evaluated(report(tests).tests).map(({ row, state }) => [row.id, state]));
}

function report(tests: readonly (readonly [title: string, status: string])[]) {
  const assertionResults = tests.map(([title, status]) => ({ title, status }));
  return readReport(
    JSON.stringify({ testResults: [{ name: "/repo/a.test.ts", status: "passed", assertionResults }] }),
    "/repo",
  );
}
