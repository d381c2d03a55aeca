import { chmodSync, closeSync, constants, fstatSync, lutimesSync, openSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../../files/file-failure.ts";
import { O_PATH, type PinnedFolder, pinFolder } from "../../files/pinned-folder.ts";
import { isNewer, stampOf, statsAt } from "../layer/change-set.ts";
import type { KernelCalls } from "./kernel-calls.ts";

/** A stamp as a journal has it. */
export interface WrittenStamp {
  readonly ino: string;
  readonly ctimeNs: string;
  readonly size: string;
  readonly mode: number;
}

/** One thing that a commit does to one path. It can be done again, and taken back, however far it came. */
export interface Step {
  /** Relative to the project. */
  readonly path: string;
  readonly does: "put" | "replace" | "remove" | "mode" | "touch";
  /** Where what comes to the path is, and then where what was there goes. Absolute, on the same mount. */
  readonly from: string;
  /** What is there before; missing if nothing is. */
  readonly was?: WrittenStamp;
  /** For a folder that goes: when the command began. What is in it and newer is somebody else's. */
  readonly since?: string;
  /** What is there afterwards, by its inode, with these rights and times. */
  readonly now?: { readonly ino?: string; readonly mode?: number; readonly mtimeMs?: number };
}

/** The folders of a project that steps are in, each held while they are done. */
export interface HeldFolders extends Disposable {
  /** The path of an entry as this process and those that it starts can use it. */
  at(path: string): string;
}

export function heldFolders(project: string): HeldFolders {
  const held = new Map<string, PinnedFolder>();
  return {
    at(path) {
      const folder = dirname(path);
      const known = held.get(folder) ?? pinFolder(folder === "." ? project : join(project, folder));
      held.set(folder, known);
      return known.at(basename(path)).replace("/proc/self/", `/proc/${process.pid}/`);
    },
    [Symbol.dispose]() {
      for (const folder of held.values()) folder[Symbol.dispose]();
    },
  };
}

/** What another program made of a path meanwhile is not touched. */
export class Meanwhile extends Error {}

export interface Doing {
  readonly folders: HeldFolders;
  readonly kernel: KernelCalls;
}

/** Does a step, or the rest of it. @throws Meanwhile if the path is not what it was. */
export async function doStep(step: Step, { folders, kernel }: Doing): Promise<void> {
  const at = folders.at(step.path);
  const there = statsAt(at);
  const isDone = step.now?.ino !== undefined && `${there?.ino}` === step.now.ino;
  switch (step.does) {
    case "put":
      if (!isDone) await movedTo(kernel, step.from, at);
      return;
    case "replace":
      if (!isDone) await replaced(step, { at, kernel });
      return;
    case "remove":
      if (there === undefined) return;
      mustBe(step, at);
      await kernel.move(at, step.from);
      // Whatever came to the path in between is given back.
      if (
        inoAt(step.from) !== step.was?.ino ||
        (step.since !== undefined && isNewer(step.from, BigInt(step.since)))
      ) {
        await movedTo(kernel, step.from, at);
        throw new Meanwhile();
      }
      return;
    default:
      // The rights and times of another file would be somebody else's.
      if (inoAt(at) !== step.was?.ino) throw new Meanwhile();
      if (step.now?.mode !== undefined) setMode(at, step.now.mode, step.was?.ino);
      if (step.now?.mtimeMs !== undefined) lutimesSync(at, new Date(), step.now.mtimeMs / 1_000);
  }
}

/** In one step, and back in one step if what was displaced is not what was leased, or somebody waits to open it. */
async function replaced(step: Step, { at, kernel }: { readonly at: string; readonly kernel: KernelCalls }) {
  mustBe(step, at);
  await kernel.exchange(step.from, at);
  if (inoAt(step.from) === step.was?.ino && !(await kernel.isWanted(at))) return;
  await kernel.exchange(step.from, at);
  throw new Meanwhile();
}

/** Takes back what a step did, if it did it. */
export async function undoStep(step: Step, { folders, kernel }: Doing): Promise<void> {
  const at = folders.at(step.path);
  const isDone = step.now?.ino !== undefined && inoAt(at) === step.now.ino;
  if (step.does === "put" && isDone) await kernel.move(at, step.from);
  if (step.does === "replace" && isDone) await kernel.exchange(step.from, at);
  if (step.does === "remove" && inoAt(step.from) === step.was?.ino) await kernel.move(step.from, at);
  if (step.does === "mode" && step.was !== undefined && inoAt(at) === step.was.ino)
    setMode(at, step.was.mode & 0o7777, step.was.ino);
}

/** Of exactly this file: a link that comes to its path leads nowhere. */
function setMode(at: string, mode: number, ino: string | undefined): void {
  const file = openSync(at, O_PATH | constants.O_NOFOLLOW);
  try {
    if (`${fstatSync(file, { bigint: true }).ino}` === ino) chmodSync(`/proc/self/fd/${file}`, mode);
  } finally {
    closeSync(file);
  }
}

async function movedTo(kernel: KernelCalls, from: string, to: string): Promise<void> {
  try {
    await kernel.move(from, to);
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw new Meanwhile();
    throw error;
  }
}

function mustBe({ was }: Step, at: string): void {
  const found = statsAt(at);
  if (found === undefined || was === undefined || !isSame(written(stampOf(found)), was))
    throw new Meanwhile();
}

/** Whether a path is as it was. Times are not compared after a restart of the machine: they are part of the file. */
export function isSame(one: WrittenStamp, other: WrittenStamp): boolean {
  return one.ino === other.ino && one.ctimeNs === other.ctimeNs && one.size === other.size;
}

export function written({ ino, ctimeNs, size, mode }: ReturnType<typeof stampOf>): WrittenStamp {
  return { ino: `${ino}`, ctimeNs: `${ctimeNs}`, size: `${size}`, mode };
}

export function inoAt(path: string): string | undefined {
  const stats = statsAt(path);
  return stats === undefined ? undefined : `${stats.ino}`;
}
