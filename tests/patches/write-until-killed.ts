import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { FileChange, Grant } from "@toolkeep/core/ports";
import { recordsFolder } from "../../packages/node/src/changes/change-journal.ts";
import { writeAll } from "../../packages/node/src/changes/write-all.ts";

/*
 * Makes the changes of its argument at once, and kills itself before the step of that number which changes a folder.
 * Prints how many steps there were if it got to the end.
 */
const { changes, step } = JSON.parse(process.argv[2] ?? "") as {
  readonly changes: readonly FileChange[];
  readonly step: number;
};
const CHANGING = ["linkSync", "mkdirSync", "openSync", "renameSync", "rmSync", "rmdirSync"] as const;
let steps = 0;

for (const name of CHANGING) {
  const real = fs[name] as (...args: readonly unknown[]) => unknown;
  const counted = (...args: readonly unknown[]) => {
    steps += 1;
    if (steps === step) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
  Object.assign(fs, { [name]: counted });
}
syncBuiltinESMExports();

const grant = { check: () => undefined } as unknown as Grant;
await writeAll({ grant, changes, mostBytes: 1_000, records: recordsFolder() });
console.log(steps);
