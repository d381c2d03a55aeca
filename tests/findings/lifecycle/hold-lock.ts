import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { withFileLock } from "../../../packages/node/src/owned-files/with-file-lock.ts";
import { naiveLock } from "./naive-lock.ts";

/**
 * Takes a lock over and over until it is killed. The owner has a file that says so; to find one of a process
 * that was not killed yet is to be the second holder.
 */
const { lock, kind, tasks } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly lock: string;
  readonly kind: "ours" | "naive";
  /** How many in this process want it at once. */
  readonly tasks: number;
};
const hold = kind === "ours" ? withFileLock : naiveLock(30);
const inside = `${lock}.inside`;
let holders = 0;
console.log("ready");
await Promise.all(Array.from({ length: tasks }, work));

async function work(): Promise<never> {
  for (;;) {
    await hold(lock, async () => {
      holders += 1;
      enter();
      if (holders > 1) console.log(`found ${process.pid} ${Date.now()}`);
      await wait(Math.random() * 4);
      rmSync(inside, { force: true });
      holders -= 1;
      console.log("held");
    });
  }
}

function enter(): void {
  try {
    const file = openSync(inside, "wx");
    writeSync(file, String(process.pid));
    closeSync(file);
  } catch {
    // The killer can tell whether that one lived: a killed process stays visible for a while.
    console.log(`found ${read()} ${Date.now()}`);
    rmSync(inside, { force: true });
    writeInside();
  }
}

function writeInside(): void {
  const file = openSync(inside, "w");
  writeSync(file, String(process.pid));
  closeSync(file);
}

function read(): string {
  try {
    return readFileSync(inside, "utf8");
  } catch {
    return "0";
  }
}
