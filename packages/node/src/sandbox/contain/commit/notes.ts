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
import { defined, unlessThrown } from "@toolkeep/core/internal";
import { writeOwnedFile } from "../../../owned-files/write-owned-file.ts";
import { isFolder, type Stamp, stampAt } from "../layer/stamp.ts";
import { indexContent } from "./index-content.ts";
import type { Doing, Step } from "./steps.ts";

/** What a commit is about to do, as its journal has it. From the moment when it is written, all of it is done. */
export interface Plan {
  readonly version: 1;
  readonly project: string;
  readonly steps: readonly Step[];
}

export const PLAN = "plan.json";
/** What the paths were once the commit was done. */
export const DONE = "done.json";

/** Says that what was done of it is being undone. */
export const BACK = "back";
/** Space for what is written down once it is undone; until then it may be half undone. */
export const UNDOING = "undoing";

export function planIn(folder: string): Plan | undefined {
  return unlessThrown(() => JSON.parse(readFileSync(join(folder, PLAN), "utf8")) as Plan);
}

type Stamps = readonly (Stamp | null)[];

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

export function isLeftOut({ does, was, now }: Step, after: Stamp | null): boolean {
  return does === "remove" ? after !== null : after?.ino !== (now?.ino ?? was?.ino);
}

export function stampsOf({ steps }: Plan, doing: Doing): Stamps {
  return steps.map(({ path }) => {
    const at = doing.at(path);
    const stamp = stampAt(at);
    return stamp === undefined ? null : { ...stamp, ...defined({ content: indexContent(path, at) }) };
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
  const found = [...new Set(parents)].filter(isFolder);
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

/** What a command was undone with, in its folder: what its paths were then, which is a later time than they had. */
export const UNDONE = "undone";

export type Given = Readonly<Record<string, Stamp | null>>;

export function givenText({ steps }: Plan, stamps: Stamps): string {
  return JSON.stringify(Object.fromEntries(steps.map(({ path }, at) => [path, stamps[at]])));
}
