import type { IsolationLevel } from "@toolkeep/core/ports";
import { describe, expect, test } from "vitest";
import { askedInVain, budgetOf } from "./prompt-budget/budget.ts";
import { measureHook } from "./prompt-budget/measure-hook.ts";
import { measureTask } from "./prompt-budget/measure-task.ts";
import { bash, task } from "./prompt-budget/task.ts";
import { TASKS } from "./prompt-budget/tasks.ts";

const ISOLATION_LEVELS: readonly IsolationLevel[] = ["files-and-network", "none"];

describe.each(ISOLATION_LEVELS)(
  "fifty everyday tasks under the recommended policy, sandbox: %s",
  async (isolation) => {
    const measured = await Promise.all(TASKS.map((task) => measureTask(task, { isolation })));
    const budget = budgetOf(measured);

    test("half of them ask once at most", () => {
      console.log(`Asks with the sandbox at ${isolation}: ${JSON.stringify(budget)}`);
      expect(budget.median).toBeLessThanOrEqual(1);
    });

    test("none of their calls is refused", () => {
      expect(measured.flatMap(({ refused }) => refused)).toEqual([]);
    });

    test.each(measured)("$task: nothing that was answered with `always` is asked again", (one) => {
      expect(askedInVain(one)).toEqual([]);
    });
  },
);

test("what may not be remembered is asked again", async () => {
  const pushing = TASKS.filter(({ name }) => name.startsWith("push"));
  const [measured] = await Promise.all(pushing.map((one) => measureTask(one, { isolation: "none" })));
  expect(measured?.asksAgain).toMatchObject([
    { call: "bash git push -u origin fix/open-ranges", mayRemember: false },
  ]);
});

test("each task is another, and takes two to eight calls", () => {
  expect(new Set(TASKS.map(({ name }) => name)).size).toBe(50);
  for (const { name, moves } of TASKS) {
    expect(moves.length, name).toBeGreaterThanOrEqual(2);
    expect(moves.length, name).toBeLessThanOrEqual(8);
  }
});

test("the hook counts what it refuses with a safe form apart, and asks no more for it", async () => {
  const { budget } = await measureHook(TASKS);
  expect(budget.denied).toBe(0);
  const searching = [task("search everything", bash("grep -rn TODO ."), bash("grep -rn TODO src"))];
  const { budget: searched, forms } = await measureHook(searching);
  expect(searched).toEqual({ allowed: 1, asked: 0, denied: 0, safeForm: 1 });
  expect(forms).toMatchObject([{ line: "grep -rn TODO ." }]);
});
