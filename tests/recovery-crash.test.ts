import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "./crash/run-program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("after a kill, a call that had not acted runs, one that can be looked into is settled, the rest is unknown", async () => {
  const folder = temporaryFolder();
  const input = { folder: join(folder, "store"), marks: join(folder, "marks") };
  const first = runProgram("recoverable-work.ts", { ...input, life: 1 });
  await first.saidLines(6);
  first.kill();
  expect((await first.ended).code).toBeNull();
  const second = runProgram("recoverable-work.ts", { ...input, life: 2 });
  expect(await second.ended).toEqual({ code: 0, errors: "" });
  expect(second.lines).toEqual([
    "before-acting done now",
    "after-acting outcome_unknown",
    "happened done before",
    "not-yet done now",
    "cannot-tell outcome_unknown",
    "plain outcome_unknown",
  ]);
  const marks = readFileSync(input.marks, "utf8").trim().split("\n").toSorted();
  expect(marks).toEqual(["before-acting", "cannot-tell", "happened", "not-yet"]);
});
