import { execFile } from "node:child_process";
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { writeOwnedFile } from "../../../owned-files/write-owned-file.ts";
import { stampOf, statsAt } from "../layer/change-set.ts";
import { indexContent } from "./index-content.ts";
import { type Doing, type Step, type WrittenStamp, written } from "./steps.ts";

/** What a commit is about to do, as its journal has it. From the moment when it is written, all of it is done. */
export interface Plan {
  readonly version: 1;
  readonly project: string;
  readonly steps: readonly Step[];
}

export const PLAN = "plan.json";
/** What the paths were once the commit was done. */
export const DONE = "done.json";

export const BACK = "back";

export const UNDOING = "undoing";

export function isHalfUndone(folder: string): boolean {
  return existsSync(join(folder, UNDOING));
}

export function planIn(folder: string): Plan | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, PLAN), "utf8")) as Plan;
  } catch {
    return undefined;
  }
}

type Stamps = readonly (WrittenStamp | null)[];

export function stampsIn(folder: string): Stamps {
  return JSON.parse(readFileSync(join(folder, DONE), "utf8")) as Stamps;
}

/** The paths that a commit changed, without those that it left to others. */
export function keptBy(folder: string): readonly string[] {
  const plan = planIn(folder);
  if (plan === undefined || !existsSync(join(folder, DONE))) return [];
  const stamps = stampsIn(folder);
  return plan.steps.filter((step, at) => !isLeftOut(step, stamps[at] ?? null)).map(({ path }) => path);
}

export function isLeftOut({ does, was, now }: Step, after: WrittenStamp | null): boolean {
  return does === "remove" ? after !== null : after?.ino !== (now?.ino ?? was?.ino);
}

export function stampsOf({ steps }: Plan, { folders }: Pick<Doing, "folders">): Stamps {
  return steps.map(({ path }) => {
    const at = folders.at(path);
    const [stats, content] = [statsAt(at), indexContent(path, at)];
    if (stats === undefined) return null;
    return { ...written(stampOf(stats)), ...(content === undefined ? {} : { content }) };
  });
}

export function synced(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What decides how a commit is recovered is on the disk before anything that follows from it. */
export async function noted(folder: string, name: string, text: string): Promise<void> {
  await writeOwnedFile(join(folder, name), text);
  synced(folder);
}

/** The names that steps changed are on the disk before the note that says so. */
export async function settleNames({ project, steps }: Plan, folder: string): Promise<void> {
  const parents = steps.flatMap(({ path, from }) => [dirname(join(project, path)), dirname(from)]);
  const found = [...new Set(parents)].filter((path) => statsAt(path)?.isDirectory() === true);
  if (found.length > SINGLY) await promisify(execFile)("sync", ["-f", folder]);
  else for (const path of found) synced(path);
}

/** So many files are synced one by one; more, with everything on their file system. */
export const SINGLY = 32;

/** Writes a note where space was reserved for it. */
export function replaceBy(folder: string, name: string, text: string, spare = UNDOING): void {
  const file = openSync(join(folder, spare), "r+");
  try {
    writeSync(file, text.padEnd(lstatSync(join(folder, spare)).size), 0);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(join(folder, spare), join(folder, name));
  synced(folder);
}
