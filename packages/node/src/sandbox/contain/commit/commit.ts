import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { defined, unlessThrown } from "@toolkeep/core/internal";
import { WORDS } from "../../../files/error-words.ts";
import { errorCode } from "../../../files/file-failure.ts";
import { writeOwnedFile } from "../../../owned-files/write-owned-file.ts";
import { type Change, hasSameBytes } from "../layer/change-set.ts";
import type { HeldChange } from "../layer/evaluated-changes.ts";
import { inRepository } from "../layer/git-changes.ts";
import { isSame, MEANWHILE, stampAt, stampOf, statsAt } from "../layer/stamp.ts";
import { lockRepositories } from "./git-locks.ts";
import { BACK, DONE, noted, PLAN, type Plan, SINGLY, settleNames, stampsOf, synced } from "./notes.ts";
import { openedMode } from "./opened-folders.ts";
import { type Doing, doStep, Meanwhile, openDoing, renewed, type Step, undoStep } from "./steps.ts";

export interface Commit {
  readonly project: string;
  /** The folder of the command: its layer, its journal, and what is kept to undo it. On the mount of the project. */
  readonly folder: string;
  /** Where the changed files are, by the paths of the project. */
  readonly upper: string;
  readonly changes: readonly Change[];
  /** When the command began, as the file system of the project counts. */
  readonly since: bigint;
  /** How many bytes it may displace, which are kept to undo it. Default: all that undoing has. */
  readonly most?: number;
}

/** What is kept to undo commands of a project. */
export const MOST_KEPT_BYTES = 2 ** 30;

/**
 * Brings changes to the project: wholly, except for what another program has open or changed, which is held. To be
 * called by one process at a time.
 * @throws whatever keeps it from being done; the project is then as it was.
 */
export async function commitChanges(commit: Commit): Promise<readonly HeldChange[]> {
  const { most = MOST_KEPT_BYTES } = commit;
  if (displacedBytes(commit) > most)
    return commit.changes.map(({ path }) => ({
      path,
      why: `the command would displace more than the ${most} bytes that are kept for undo`,
    }));
  using doing = await openDoing(commit.project, commit.folder);
  const held = new Map<string, string>();
  const isOfGit = ({ path }: Change) => inRepository(path) !== undefined;
  const holdUnready = async (changes: readonly Change[]) => {
    for (const change of changes) {
      const why = await unready(change, doing);
      if (why !== undefined) held.set(change.path, why);
    }
  };
  await holdUnready(commit.changes.filter((change) => !isOfGit(change)));
  await holdDatabases(commit, held, doing);
  // What git has is looked at while no git of the user's can change it.
  using locks = lockRepositories(doing, commit.changes);
  await holdUnready(commit.changes.filter(isOfGit));
  const waiting = new Set([...held.keys()].map(unitOf));
  for (const change of commit.changes.filter(isOfGit))
    if (!held.has(change.path) && (waiting.has(unitOf(change.path)) || locks.isHeld(change.path)))
      held.set(change.path, heldWith(change.path));
  const changes = commit.changes.filter(({ path }) => !held.has(path));
  if (changes.length > 0) {
    mkdirSync(join(commit.folder, "old"), { recursive: true, mode: 0o700 });
    const steps = inOrder(changes).map((one, at) => stepFor(one, at, commit));
    const plan: Plan = { version: 1, project: commit.project, steps };
    await settle(plan, commit.upper);
    for (const [path, why] of await carriedOut(plan, doing)) held.set(path, why);
  }
  return [...held].map(([path, why]) => ({ path, why }));
}

function displacedBytes({ project, changes }: Commit): number {
  const gone = changes.filter(({ was, does }) => was !== undefined && (does === "put" || does === "remove"));
  return gone.reduce((sum, { path }) => sum + bytesIn(join(project, path)), 0);
}

const BLOCK = 4_096;

const SECTOR = 512;

/**
 * What it takes on the disk: a file takes a block at least, and so does what cannot be looked at. The holes of a sparse
 * file take nothing.
 */
export function bytesIn(path: string): number {
  const stats = unlessThrown(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stats?.isDirectory() !== true) return Math.max((stats?.blocks ?? 0) * SECTOR, BLOCK);
  const names = unlessThrown(() => readdirSync(path)) ?? [];
  return names.reduce((sum, name) => sum + bytesIn(join(path, name)), BLOCK);
}

async function unready({ path, was, does }: Change, doing: Doing): Promise<string | undefined> {
  const at = doing.at(path);
  const found = statsAt(at);
  if (was === undefined || found === undefined) return was === found ? undefined : MEANWHILE;
  // What is in a folder changes its times, and not what it is.
  const stays = (does === "mode" || does === "touch") && found.isDirectory() && `${found.ino}` === was.ino;
  if (!stays && !isSame(stampOf(found), was)) return MEANWHILE;
  // A process that has a removed file open keeps it, as always.
  if (does !== "put" || !found.isFile()) return undefined;
  return found.nlink > 1n ? "has other names, which would keep what it was" : doing.kernel.lease(at, was.ino);
}

const OF_DATABASE = /-(?:wal|shm|journal)$/;

/** A database of SQLite and the files next to it come together, or none of them does. */
async function holdDatabases(commit: Commit, held: Map<string, string>, doing: Doing): Promise<void> {
  const all = new Set(commit.changes.map(({ path }) => path));
  for (const [base, changes] of Map.groupBy(commit.changes, ({ path }) => path.replace(OF_DATABASE, ""))) {
    const parts = ["", "-wal", "-shm", "-journal"].map((end) => base + end);
    const others = parts.filter((one) => !all.has(one) && statsAt(doing.at(one)) !== undefined);
    const isApart = parts.some((one) => held.has(one)) || others.some((one) => one !== base);
    const isBeneath = !isApart && others.length > 0;
    const why = isBeneath ? await whyNotBeneath(base, commit, doing) : isApart ? heldWith(base) : undefined;
    for (const { path } of why === undefined ? [] : changes) if (!held.has(path)) held.set(path, why ?? "");
  }
}

/** Why files cannot come next to a database that is as the command had it; `undefined` if they can. */
async function whyNotBeneath(base: string, { upper }: Commit, doing: Doing): Promise<string | undefined> {
  const at = doing.at(base);
  const was = stampAt(at);
  if (was === undefined || statsAt(join(upper, base))?.isFile() !== true) return heldWith(base);
  if (!hasSameBytes(at, join(upper, base))) return MEANWHILE;
  const why = await doing.kernel.lease(at, was.ino);
  if (why !== undefined) return `belongs to a database that is ${why}`;
  const found = stampAt(at);
  return found !== undefined && isSame(found, was) ? undefined : MEANWHILE;
}

/** What comes to the project together: all of a repository's own, and a database with the files next to it. */
function unitOf(path: string): string {
  return inRepository(path)?.store ?? path.replace(OF_DATABASE, "");
}

function heldWith(path: string): string {
  return `belongs to a ${inRepository(path) === undefined ? "database" : "change of git"} that is held`;
}

function stepFor(
  { path, does, was, type }: Change,
  at: number,
  { project, upper, folder, since }: Commit,
): Step {
  const from = join(upper, path);
  const around = stampAt(dirname(join(project, path)));
  const isClosed = around !== undefined && openedMode(around.mode) !== around.mode;
  const step = { path, ...defined({ was, around: isClosed ? around : undefined }) };
  if (does === "remove") {
    const whole = type === "folder" ? { since: `${since}` } : {};
    return { ...step, does, from: join(folder, "old", `${at}`), ...whole };
  }
  const now = stampAt(from);
  const mode = (now?.mode ?? 0) & 0o7777;
  const mtimeMs = Number(BigInt(now?.mtimeNs ?? 0) / 1_000_000n);
  if (does === "mode") return { ...step, does, from, now: type === "folder" ? { mode } : { mode, mtimeMs } };
  if (does === "touch") return { ...step, does, from, now: { mtimeMs } };
  return { ...step, does: was === undefined ? "put" : "replace", from, now: now ?? {} };
}

/**
 * What points to something else comes after it: a reader never sees a branch without its commit. The rights of a folder
 * come after what is in it, which they may be in the way of.
 */
function inOrder(changes: readonly Change[]): readonly Change[] {
  const rank = ({ path, does, type }: Change) => {
    if (does === "mode" && type === "folder") return 4;
    const rest = inRepository(path)?.rest;
    if (rest === undefined) return 1;
    if (rest.startsWith("objects/")) return 0;
    return rest === "index" || rest === "HEAD" ? 3 : 2;
  };
  return changes.toSorted((one, other) => rank(one) - rank(other));
}

/** Everything that the journal names is on the disk before the journal is. */
async function settle({ steps }: Plan, upper: string): Promise<void> {
  const staged = steps.filter(({ does }) => does === "put" || does === "replace").map(({ from }) => from);
  // To be synced by itself, a file has to be one that we may open.
  const isReadable = (path: string) =>
    unlessThrown(() => accessSync(path, constants.R_OK) ?? true) === true && statsAt(path)?.isFile() === true;
  const files = staged.filter(isReadable);
  if (files.length < staged.length || files.length > SINGLY) await promisify(execFile)("sync", ["-f", upper]);
  else for (const path of files) synced(path);
}

/**
 * Does all steps of a journal; the paths that are left, because others changed them or what belongs to them in between.
 * @throws after all of it was undone.
 */
export async function carriedOut(plan: Plan, doing: Doing): Promise<ReadonlyMap<string, string>> {
  const { folder } = doing;
  const left = new Map<string, string>();
  try {
    if (!existsSync(join(folder, PLAN))) await noted(folder, PLAN, JSON.stringify(plan));
    const done: Step[] = [];
    for (const step of plan.steps) {
      const isOfSame = ({ path }: Step) => unitOf(path) === unitOf(step.path);
      if (left.has(step.path)) continue;
      const why = await whyNotDone(doStep(step, doing));
      if (why === undefined) done.push(step);
      else {
        for (const one of done.filter(isOfSame).toReversed()) await isDone(undoStep(one, doing));
        for (const { path } of plan.steps.filter(isOfSame)) left.set(path, heldWith(path));
        left.set(step.path, why);
      }
    }
    await settleNames(plan, folder);
    const stamps = stampsOf(plan, doing).map((stamp, at) => {
      const { path = "", does } = plan.steps[at] ?? {};
      return left.has(path) && (does === "mode" || does === "touch") ? null : stamp;
    });
    await noted(folder, DONE, JSON.stringify(stamps));
  } catch (error) {
    await undoSteps(plan, doing);
    throw error;
  }
  return left;
}

/** Why a step was left; `undefined` if it was done. */
async function whyNotDone(step: Promise<void>): Promise<string | undefined> {
  try {
    return (await isDone(step)) ? undefined : MEANWHILE;
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code !== "EACCES" && code !== "EPERM") throw error;
    return `it ${WORDS[code]?.says}`;
  }
}

export async function isDone(step: Promise<void>): Promise<boolean> {
  try {
    await step;
    return true;
  } catch (error) {
    if (error instanceof Meanwhile) return false;
    throw error;
  }
}

export async function undoSteps(plan: Plan, doing: Doing): Promise<void> {
  const { folder } = doing;
  await writeOwnedFile(join(folder, BACK), "").catch(() => undefined);
  using again = await renewed(doing);
  for (const step of plan.steps.toReversed()) await isDone(undoStep(step, again));
  for (const name of [DONE, PLAN, BACK]) rmSync(join(folder, name), { force: true });
}
