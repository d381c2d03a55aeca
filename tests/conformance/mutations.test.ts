import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutated, readMutations } from "../../scripts/conformance/mutations.ts";
import { readStates } from "../../scripts/conformance/table.ts";
import { ROOT } from "../../scripts/root.ts";
import { ROWS } from "./rows.ts";

const mutations = readMutations(ROOT);
const fileAt = (path: string) => readFileSync(join(ROOT, path), "utf8");

test("every row that must hold and passes has a mutation, and no row has two", () => {
  const states = readStates(fileAt("docs/conformance.md"));
  const passing = ROWS.filter(({ id, strength }) => strength === "M" && states.get(id) === "pass");
  const rows = mutations.map(({ row }) => row);
  expect(passing.filter(({ id }) => !rows.includes(id)).map(({ id }) => id)).toEqual([]);
  expect(new Set(rows).size).toBe(rows.length);
});

test.each(mutations)(
  "the mutation of $row fits the code, and its test has the number of the row",
  (mutation) => {
    expect(mutated(mutation, ROOT)).toContain(mutation.replace);
    expect(fileAt(mutation.test)).toContain(`[${mutation.row}]`);
  },
);

test("a mutation that does not fit is an error", () => {
  const base = { row: "C1", file: "package.json", replace: "", test: "" };
  for (const find of ["no such text in it", '"'])
    expect(() => mutated({ ...base, find }, ROOT)).toThrow("once");
});
