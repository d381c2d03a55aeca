import { chmodSync, closeSync, constants, fstatSync, lutimesSync, openSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { errorCode } from "../../../files/file-failure.ts";
import { O_PATH, type PinnedFolder, pinFolder } from "../../../files/pinned-folder.ts";
import { inoAt, isEdited, isNewer, isSame, type Stamp, stampAt, stampOf, statsAt } from "../layer/stamp.ts";
import { type KernelCalls, openKernelCalls } from "./kernel-calls.ts";
import { openedMode } from "./opened-folders.ts";

/** One thing that a commit does to one path. It can be done again, and undone, however far it came. */
export interface Step {
  /** Relative to the project. */
  readonly path: string;
  readonly does: "put" | "replace" | "remove" | "mode" | "touch";
  /** Where what comes to the path is, and then where what was there goes. Absolute, on the same mount. */
  readonly from: string;
  /** What is there before; missing if nothing is. */
  readonly was?: Stamp;
  /** What was there when it was found, if keeping it changed that. */
  readonly over?: Stamp;
  /** The folder that it is in, if its rights are in the way. */
  readonly around?: Stamp;
  /** For a folder that goes: when the command began. What is in it and newer is another program's. */
  readonly since?: string;
  /** What is there afterwards; for `mode` and `touch`, the rights and times that it gets. */
  readonly now?: Partial<Stamp> & { readonly mtimeMs?: number };
}

/** What steps of a command are done with: its folder, and those of the project that they are in, each held meanwhile. */
export interface Doing extends ReturnType<typeof heldFolders> {
  readonly project: string;
  readonly folder: string;
  readonly kernel: KernelCalls;
}

export async function openDoing(project: string, folder: string): Promise<Doing> {
  const kernel = await openKernelCalls(dirname(folder));
  const folders = heldFolders(project);
  return {
    ...{ project, folder, kernel, at: folders.at },
    [Symbol.dispose]() {
      folders[Symbol.dispose]();
      kernel[Symbol.dispose]();
    },
  };
}

/** With calls of its own, because those before may have failed. */
export async function renewed(doing: Doing): Promise<Doing> {
  doing.kernel[Symbol.dispose]();
  const kernel = await openKernelCalls(dirname(doing.folder));
  return { ...doing, kernel, [Symbol.dispose]: () => kernel[Symbol.dispose]() };
}

export function heldFolders(project: string) {
  const held = new Map<string, PinnedFolder>();
  return {
    /** The path of an entry as this process and those that it starts can use it: nowhere if its folder is gone, or a link. */
    at(path: string): string {
      const folder = dirname(path);
      const known = held.get(folder) ?? pinned(folder === "." ? project : join(project, folder));
      if (known === undefined) return join(NOWHERE, path);
      held.set(folder, known);
      return known.at(basename(path)).replace("/proc/self/", `/proc/${process.pid}/`);
    },
    [Symbol.dispose]() {
      for (const folder of held.values()) folder[Symbol.dispose]();
    },
  };
}

/** Nothing is there, and nothing can be made there. */
const NOWHERE = "/proc/self/fd/none";

export function isNowhere(at: string): boolean {
  return at.startsWith(`${NOWHERE}/`);
}

function pinned(folder: string): PinnedFolder | undefined {
  try {
    return pinFolder(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || ToolFailure.isInstance(error)) return undefined;
    throw error;
  }
}

/** What another program made of a path meanwhile is not touched. */
export class Meanwhile extends Error {}

/** Does a step, or the rest of it. @throws Meanwhile if the path is not what it was. */
export async function doStep(step: Step, doing: Doing): Promise<void> {
  try {
    await stepDone(step, doing);
  } finally {
    if (step.does !== "mode" && step.does !== "touch") giveModes(step, doing);
  }
}

/** Folders that were opened for a step get their modes again, if the process that opened them was killed. */
function giveModes({ path, from, was, now, around }: Step, doing: Doing): void {
  const modes = new Map([was, now, around].map((stamp) => [stamp?.ino, stamp?.mode]));
  for (const at of [doing.at(path), from, doing.at(dirname(path))]) {
    const found = statsAt(at);
    const mode = modes.get(`${found?.ino}`);
    if (found?.isDirectory() !== true || mode === undefined) continue;
    if (Number(found.mode) !== mode && Number(found.mode) === openedMode(mode))
      setMode(at, mode & 0o7777, `${found.ino}`);
  }
}

async function stepDone(step: Step, doing: Doing): Promise<void> {
  const { kernel } = doing;
  const at = doing.at(step.path);
  if (isNowhere(at)) throw new Meanwhile();
  const there = statsAt(at);
  const isDone = step.now?.ino !== undefined && `${there?.ino}` === step.now.ino;
  switch (step.does) {
    case "put":
      if (!isDone) await movedTo(kernel, step.from, at);
      return;
    case "replace":
      if (isDone) return;
      mustBe(step, at);
      return exchanged(kernel, { at, from: step.from, there: step.was?.ino, comes: step.now?.ino });
    case "remove":
      if (there === undefined) return;
      mustBe(step, at);
      await kernel.move(at, step.from);
      if (!isEdited(step.from, step.was) && !(step.since && isNewer(step.from, BigInt(step.since)))) return;
      await movedTo(kernel, step.from, at);
      throw new Meanwhile();
    default:
      // The rights and times of another file would be another program's.
      if (inoAt(at) !== step.was?.ino) throw new Meanwhile();
      if (step.now?.mode !== undefined) setMode(at, step.now.mode, step.was?.ino);
      if (step.now?.mtimeMs !== undefined) setTime(at, BigInt(step.now.mtimeMs) * 1_000_000n);
  }
}

interface Exchange {
  readonly at: string;
  readonly from: string;
  /** The inodes that should be at the two paths before. */
  readonly there: string | undefined;
  readonly comes: string | undefined;
}

const EXCHANGE_TRIES = 4;

/**
 * In one step; and back, if what was displaced is not what was leased, or a process waits to open it. One that only
 * reads is let by, and then it is tried again.
 */
async function exchanged(kernel: KernelCalls, exchange: Exchange): Promise<void> {
  const { at, from, there } = exchange;
  const before = stampAt(at);
  for (let tries = 1; ; tries += 1) {
    await kernel.exchange(from, at);
    const isExpected = inoAt(from) === there;
    if (isExpected && !(await kernel.isWanted(at))) return;
    await exchangedBack(kernel, exchange);
    if (!isExpected || before === undefined || tries === EXCHANGE_TRIES) throw new Meanwhile();
    await kernel.release(at);
    const why = await kernel.lease(at, before.ino);
    if (why !== undefined || isEdited(at, before)) throw new Meanwhile();
  }
}

/** An editor can replace what is at the path between two exchanges: its latest version is what stays there. */
async function exchangedBack(kernel: KernelCalls, { at, from, comes }: Exchange): Promise<void> {
  for (let given = comes; ; ) {
    const giving = inoAt(from);
    await kernel.exchange(from, at);
    if (inoAt(from) === given) return;
    given = giving;
  }
}

/** Whether a path is still as a step left it. */
type IsAsLeft = (step: Step, at: string) => boolean;

/** Undoes what a step did, if it did it. @throws Meanwhile if what it left was changed since. */
export async function undoStep(
  step: Step,
  doing: Doing,
  isAsLeft: IsAsLeft = ({ now }, at) => !isEdited(at, now),
): Promise<void> {
  const [at, { from, was, now }, { kernel }] = [doing.at(step.path), step, doing];
  if (isNowhere(at)) throw new Meanwhile();
  const there = statsAt(at);
  const isThere = (ino: string | undefined) => ino !== undefined && `${there?.ino}` === ino;
  switch (step.does) {
    case "put":
    case "replace": {
      if (there === undefined || !isThere(now?.ino)) {
        if (now?.ino === undefined || inoAt(from) === now.ino) return;
        throw new Meanwhile();
      }
      if (!isAsLeft(step, at)) throw new Meanwhile();
      if (step.does === "replace") return exchanged(kernel, { at, from, there: now?.ino, comes: was?.ino });
      await kernel.move(at, from);
      if (!isEdited(from, stampOf(there)) && (!there.isDirectory() || isAsLeft(step, from))) return;
      await movedTo(kernel, from, at);
      throw new Meanwhile();
    }
    case "remove":
      if (inoAt(from) === was?.ino) await movedTo(kernel, from, at);
      return;
    default:
      if (was === undefined || !isThere(was.ino)) throw new Meanwhile();
      if (now?.mode !== undefined) setMode(at, was.mode & 0o7777, was.ino);
      if (there !== undefined && isNear(there.mtimeNs, now?.mtimeMs)) setTime(at, BigInt(was.mtimeNs));
  }
}

/** Always rounded alike: a time that is set again is the same. */
function setTime(at: string, mtimeNs: bigint): void {
  lutimesSync(at, new Date(), Number(mtimeNs) / 1e9);
}

/** Setting a time rounds it. */
function isNear(timeNs: bigint, timeMs: number | undefined): boolean {
  return timeMs !== undefined && Math.abs(Number(timeNs) / 1e6 - timeMs) <= 1;
}

/** The step that does what taking back another one does. */
export function inverse({ does, was, now, since: _, over: __, ...step }: Step): Step {
  const turned = { ...(now?.ino === undefined || was === undefined ? {} : { was: now as Stamp }) };
  if (does === "put") return { ...step, does: "remove", was: now as Stamp };
  if (does === "remove") return { ...step, does: "put", ...(was && { now: was }) };
  if (does === "replace") return { ...step, ...turned, does, ...(was && { now: was }) };
  if (was === undefined || now === undefined) return { ...step, does };
  const before = now.mtimeMs === undefined ? {} : { mtimeMs: Number(BigInt(was.mtimeNs) / 1_000_000n) };
  const mtimeNs = now.mtimeMs === undefined ? was.mtimeNs : `${BigInt(now.mtimeMs) * 1_000_000n}`;
  const again = { ...was, mode: now.mode ?? was.mode, mtimeNs };
  return { ...step, does, now: { ...now, ...before }, was: again };
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
  const found = stampAt(at);
  if (found === undefined || was === undefined || !isSame(found, was)) throw new Meanwhile();
}
