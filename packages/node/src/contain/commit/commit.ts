import { execFile } from "node:child_process";
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeOwnedFile } from "../../owned-files/write-owned-file.ts";
import { type Change, stampOf, statsAt } from "../layer/change-set.ts";
import { inRepository } from "../layer/git-changes.ts";
import type { HeldChange } from "../layer/judged-changes.ts";
import { lockRepositories, removeLeftLocks } from "./git-locks.ts";
import { givenAt, givenBack, givenText, isAsLeft, isTouched, type Since, UNDONE } from "./given-back.ts";
import { type KernelCalls, openKernelCalls } from "./kernel-calls.ts";
import {
  type Doing,
  doStep,
  heldFolders,
  inoAt,
  isSame,
  Meanwhile,
  type Step,
  undoStep,
  written,
} from "./steps.ts";

/** What a commit is about to do, as its journal has it. From the moment when it is written, all of it is done. */
export interface Plan {
  readonly version: 1;
  readonly project: string;
  readonly steps: readonly Step[];
}

export interface Commit {
  readonly project: string;
  /** The folder of the command: its layer, its journal, and what is kept to undo it. On the mount of the project. */
  readonly folder: string;
  /** Where the changed files are, by the paths of the project. */
  readonly upper: string;
  readonly changes: readonly Change[];
  /** When the command began, as the file system of the project counts. */
  readonly since: bigint;
}

export const PLAN = "plan.json";
/** What the paths were once the commit was done. */
export const DONE = "done.json";

/**
 * Brings changes to the project: wholly, except for what somebody else has open or changed, which is held. To be
 * called by one process at a time.
 * @throws whatever keeps it from being done; the project is then as it was.
 */
export async function commitChanges(commit: Commit): Promise<readonly HeldChange[]> {
  using kernel = await openKernelCalls();
  using folders = heldFolders(commit.project);
  const doing = { folders, kernel };
  const held = new Map<string, string>();
  for (const change of commit.changes) {
    const why = await unready(change, doing);
    if (why !== undefined) held.set(change.path, why);
  }
  using locks = lockRepositories({ ...commit, folders }, held);
  const changes = commit.changes.filter(({ path }) => !held.has(path) && !locks.isHeld(path));
  for (const { path } of commit.changes)
    if (locks.isHeld(path) && !held.has(path)) held.set(path, "belongs to a change of git that is held");
  if (changes.length > 0) {
    mkdirSync(join(commit.folder, "old"), { recursive: true, mode: 0o700 });
    const plan: Plan = {
      version: 1,
      project: commit.project,
      steps: inOrder(changes).map((one, at) => stepFor(one, at, commit)),
    };
    await settle(plan, commit.upper);
    await writeOwnedFile(join(commit.folder, PLAN), JSON.stringify(plan));
    for (const path of await carriedOut(plan, commit.folder, doing))
      held.set(path, "changed by somebody else meanwhile");
  }
  return [...held].map(([path, why]) => ({ path, why }));
}

/** Why a change has to wait. */
async function unready(
  { path, was, type, does }: Change,
  { folders, kernel }: Doing,
): Promise<string | undefined> {
  const at = folders.at(path);
  const found = statsAt(at);
  if (was === undefined) return found === undefined ? undefined : "changed by somebody else meanwhile";
  if (found === undefined || !isSame(written(stampOf(found)), written(was))) {
    // What is in a folder changes its times, and not what it is.
    const isSameFolder = found?.isDirectory() === true && found.ino === was.ino && does !== "remove";
    if (!isSameFolder) return "changed by somebody else meanwhile";
  }
  // Whoever has a file open that is removed keeps it, as always.
  if (does !== "put" || type !== "file" || found?.isFile() !== true) return undefined;
  if (found.nlink > 1n) return "has other names, which would keep what it was";
  return leased(at, found.ino, kernel);
}

const LEASE_TRIES = 4;
const LEASE_PAUSE_MS = 30;

/** Programs that only pass by have a file open for a moment. */
async function leased(at: string, ino: bigint, kernel: KernelCalls): Promise<string | undefined> {
  let why = "";
  for (let tries = 0; tries < LEASE_TRIES; tries += 1) {
    const lease = await kernel.lease(at);
    if ("ino" in lease) return lease.ino === ino ? undefined : "changed by somebody else meanwhile";
    why = lease.why;
    await new Promise((resolve) => setTimeout(resolve, LEASE_PAUSE_MS));
  }
  return why;
}

function stepFor({ path, does, was, type }: Change, at: number, { upper, folder, since }: Commit): Step {
  const made = join(upper, path);
  const before = was === undefined ? {} : { was: written(was) };
  if (does === "remove") {
    const whole = type === "folder" ? { since: `${since}` } : {};
    return { path, does, from: join(folder, "old", `${at}`), ...before, ...whole };
  }
  const stats = statsAt(made);
  const [mode, mtimeMs] = [Number((stats?.mode ?? 0n) & 0o7777n), Number(stats?.mtimeMs ?? 0n)];
  if (does === "mode")
    return { path, does, from: made, ...before, now: type === "folder" ? { mode } : { mode, mtimeMs } };
  if (does === "touch") return { path, does, from: made, ...before, now: { mtimeMs } };
  return {
    path,
    does: was === undefined ? "put" : "replace",
    from: made,
    ...before,
    now: { ino: inoAt(made) ?? "" },
  };
}

/** What points to something else comes after it: a reader never sees a branch without its commit. */
function inOrder(changes: readonly Change[]): readonly Change[] {
  const rank = ({ path }: Change) => {
    const rest = inRepository(path)?.rest;
    if (rest === undefined) return 1;
    if (rest.startsWith("objects/")) return 0;
    return rest === "index" || rest === "HEAD" ? 3 : 2;
  };
  return changes.toSorted((one, other) => rank(one) - rank(other));
}

const SINGLY = 32;

/** Everything that the journal speaks of is on the disk before the journal is. */
async function settle({ steps }: Plan, upper: string): Promise<void> {
  const staged = steps.filter(({ does }) => does === "put" || does === "replace").map(({ from }) => from);
  const files = staged.filter((path) => statsAt(path)?.isFile() === true);
  if (files.length < staged.length || files.length > SINGLY) await promisify(execFile)("sync", ["-f", upper]);
  else for (const path of files) synced(path);
}

function synced(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Does all steps of a journal; the paths that others changed in between. @throws after all of it was taken back. */
async function carriedOut(plan: Plan, folder: string, doing: Doing): Promise<readonly string[]> {
  const left: string[] = [];
  try {
    for (const step of plan.steps) if (!(await isDone(step, doing))) left.push(step.path);
  } catch (error) {
    await takenBack(plan, folder, doing);
    throw error;
  }
  await writeOwnedFile(join(folder, DONE), JSON.stringify(stampsOf(plan, doing)));
  return left;
}

async function isDone(step: Step, doing: Doing): Promise<boolean> {
  try {
    await doStep(step, doing);
    return true;
  } catch (error) {
    if (error instanceof Meanwhile) return false;
    throw error;
  }
}

const BACK = "back";

async function takenBack(plan: Plan, folder: string, doing: Doing): Promise<void> {
  await writeOwnedFile(join(folder, BACK), "").catch(() => undefined);
  for (const step of plan.steps.toReversed()) await undoStep(step, doing);
  rmSync(join(folder, PLAN), { force: true });
  rmSync(join(folder, BACK), { force: true });
}

function stampsOf({ steps }: Plan, { folders }: Doing) {
  return steps.map(({ path }) => {
    const stats = statsAt(folders.at(path));
    return stats === undefined ? null : written(stampOf(stats));
  });
}

/** A commit that a process left half-done is done, or taken back if it was being taken back. */
export async function recoverCommit(folder: string): Promise<void> {
  removeLeftLocks(folder);
  const plan = planIn(folder);
  if (plan === undefined || existsSync(join(folder, DONE))) return recoverUndo(folder);
  using kernel = await openKernelCalls();
  using folders = heldFolders(plan.project);
  const doing = { folders, kernel };
  if (existsSync(join(folder, BACK))) return takenBack(plan, folder, doing);
  await carriedOut(plan, folder, doing);
}

export function planIn(folder: string): Plan | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, PLAN), "utf8")) as Plan;
  } catch {
    return undefined;
  }
}

const UNDOING = "undoing";

/** Why a command cannot be undone: the paths that were changed since. */
export class ChangedSince extends Error {
  readonly paths: readonly string[];

  constructor(paths: readonly string[]) {
    super(`changed since: ${paths.join(", ")}`);
    this.paths = paths;
  }
}

/** Gives the project back what it had before a command. @throws ChangedSince if anything of it was changed since. */
export async function undoCommit(folder: string): Promise<readonly string[]> {
  const plan = planIn(folder);
  if (plan === undefined) return [];
  using kernel = await openKernelCalls();
  using folders = heldFolders(plan.project);
  const doing = { folders, kernel };
  const stamps = JSON.parse(readFileSync(join(folder, DONE), "utf8")) as ReturnType<typeof stampsOf>;
  const changed: string[] = [];
  const since = lstatSync(join(folder, DONE), { bigint: true }).ctimeNs;
  const checking = { ...doing, since, given: givenBack(folder) };
  for (const [at, step] of plan.steps.entries())
    if (!(await isUndoable(step, stamps[at] ?? null, checking))) changed.push(step.path);
  if (changed.length > 0) throw new ChangedSince(changed);
  using locks = lockRepositories({ project: plan.project, folders, folder, changes: plan.steps }, new Map());
  const locked = plan.steps.filter(({ path }) => locks.isHeld(path));
  if (locked.length > 0) throw new ChangedSince(locked.map(({ path }) => path));
  await writeOwnedFile(join(folder, UNDOING), "");
  for (const step of plan.steps.toReversed()) await undoStep(step, doing);
  await writeOwnedFile(join(folder, UNDONE), givenText(plan.steps, stampsOf(plan, doing)));
  return plan.steps.map(({ path }) => path);
}

async function isUndoable(
  step: Step,
  after: ReturnType<typeof stampsOf>[number],
  undoing: Doing & Since,
): Promise<boolean> {
  const at = undoing.folders.at(step.path);
  const found = statsAt(at);
  if (after === null)
    return found === undefined && (step.does !== "remove" || inoAt(step.from) !== undefined);
  if (found?.isDirectory() === true)
    return (
      `${found.ino}` === after.ino && (step.does !== "put" || !isTouched({ at, path: step.path }, undoing))
    );
  if (found === undefined || !isAsLeft(found, [after, ...givenAt(step.path, undoing)])) return false;
  if (step.does !== "replace") return true;
  const isThere = inoAt(step.from) === step.was?.ino;
  return isThere && (!found.isFile() || (await leased(at, found.ino, undoing.kernel)) === undefined);
}

async function recoverUndo(folder: string): Promise<void> {
  const plan = planIn(folder);
  if (plan === undefined || !existsSync(join(folder, UNDOING)) || existsSync(join(folder, UNDONE))) return;
  using kernel = await openKernelCalls();
  using folders = heldFolders(plan.project);
  const doing = { folders, kernel };
  for (const step of plan.steps.toReversed()) await undoStep(step, doing);
  await writeOwnedFile(join(folder, UNDONE), givenText(plan.steps, stampsOf(plan, doing)));
}
