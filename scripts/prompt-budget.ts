import type { Rule } from "@toolkeep/core";
import type { IsolationLevel } from "@toolkeep/core/ports";
import { formatTable } from "../benchmarks/src/report.ts";
import { askedInVain, budgetOf } from "../tests/prompt-budget/budget.ts";
import { measureHook } from "../tests/prompt-budget/measure-hook.ts";
import { type Measured, measureTask } from "../tests/prompt-budget/measure-task.ts";
import { TASKS } from "../tests/prompt-budget/tasks.ts";

/** What the recommended policy leaves to the project: the folders that may be written. */
const FOLDERS: readonly Rule[] = [
  { permission: "fs.write", pattern: "{workspace}/{src,tests,docs}/**", action: "allow", scope: "project" },
];

const sandboxed = await measureAll("files-and-network");
const open = await measureAll("none");
const columns: Readonly<Record<string, readonly Measured[]>> = {
  sandbox: sandboxed,
  "no sandbox": open,
  "sandbox, folders": await measureAll("files-and-network", FOLDERS),
  "no sandbox, folders": await measureAll("none", FOLDERS),
};

console.log(
  "How often a person is asked, by task, under the recommended policy alone and with folders named.\n",
);
console.log(`${formatTable(TASKS.map(({ name }, index) => ({ name, ...countsAt(index) })))}\n`);
console.log(
  `${formatTable(Object.entries(columns).map(([name, measured]) => ({ name, ...budgetOf(measured) })))}\n`,
);
printAsks("With a sandbox", sandboxed);
printAsks("Without a sandbox", open);

const { budget, forms } = await measureHook(TASKS);
console.log("The hook of a client without a sandbox, by calls, in a project with a secret in its tree.\n");
console.log(`${formatTable([{ name: "calls", ...budget }])}\n`);
for (const { line, instead } of forms) console.log(`  refused with a safe form: ${line}\n    ${instead}`);

function measureAll(isolation: IsolationLevel, added: readonly Rule[] = []): Promise<readonly Measured[]> {
  return Promise.all(TASKS.map((task) => measureTask(task, { isolation, added })));
}

function countsAt(index: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, measured]) => [name, measured[index]?.asks.length ?? 0]),
  );
}

function printAsks(title: string, measured: readonly Measured[]): void {
  console.log(`${title}\n`);
  for (const one of measured.filter(({ asks, refused }) => asks.length + refused.length > 0)) {
    console.log(`  ${one.task}`);
    for (const { call, why, mayRemember } of one.asks) {
      console.log(`    ${call}${mayRemember ? "" : " (every time)"}`);
      for (const reason of why) console.log(`      ${reason}`);
    }
    for (const { call } of askedInVain(one)) console.log(`    asked again: ${call}`);
    for (const refusal of one.refused) console.log(`    refused: ${refusal}`);
  }
  console.log("");
}
