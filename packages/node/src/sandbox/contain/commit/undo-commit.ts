import { existsSync, lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { inoAt, isEdited, isFolder, type Stamp, stampAt, statsAt } from "../layer/stamp.ts";
import { carriedOut, isDone, undoSteps } from "./commit.ts";
import { lockRepositories, removeLeftLocks } from "./git-locks.ts";
import { indexContent } from "./index-content.ts";
import { type Found, foundAt, isAsLeft, isTouched, laterCommands, type Since } from "./later-steps.ts";
import {
  BACK,
  DONE,
  givenText,
  isLeftOut,
  noted,
  type Plan,
  planIn,
  replaceBy,
  settleNames,
  stampsIn,
  stampsOf,
  UNDOING,
  UNDONE,
} from "./notes.ts";
import { type Doing, inverse, isNowhere, openDoing, renewed, type Step, undoStep } from "./steps.ts";

/** Why a command cannot be undone: the paths that were changed since. */
export class ChangedSince extends Error {
  readonly paths: readonly string[];
  readonly number: number;

  constructor(paths: readonly string[], folder: string) {
    super(`changed since: ${paths.join(", ")}`);
    this.paths = paths;
    this.number = Number(basename(folder));
  }
}

/**
 * Gives the project back what it had before a command, wholly.
 * @throws ChangedSince if anything of it was changed since, and whatever else keeps it from being done.
 */
export async function undoCommit(folder: string): Promise<readonly string[]> {
  const committed = planIn(folder);
  if (committed === undefined) return [];
  using doing = await openDoing(committed.project, folder);
  using locks = lockRepositories(doing, committed.steps);
  const done = asFound(committed, doing);
  const { steps } = done.plan;
  const paths = steps.map(({ path }) => path);
  assertNone(await changedPaths(done, doing), folder);
  assertNone(paths.filter(locks.isHeld), folder);
  // With space for what is written once it is done: then a full disk cannot stop it half-way.
  await noted(folder, UNDOING, " ".repeat(JSON.stringify(done.plan).length + LONGEST_STAMP * steps.length));
  assertNone(await undone(done, doing), folder);
  return paths;
}

/**
 * Whether a command could be undone once others are undone: their folders, all of later commands.
 * @throws ChangedSince
 */
export async function checkUndo(folder: string, pending: readonly string[]): Promise<void> {
  const committed = planIn(folder);
  if (committed === undefined) return;
  using doing = await openDoing(committed.project, folder);
  assertNone(await changedPaths(asFound(committed, doing), doing, pending), folder);
}

function assertNone(changed: readonly string[], folder: string): void {
  if (changed.length > 0) throw new ChangedSince(changed, folder);
}

async function changedPaths(
  { plan, stamps }: DoneCommit,
  doing: Doing,
  pending: readonly string[] = [],
): Promise<readonly string[]> {
  const changed: string[] = [];
  const since = sinceDone(doing.folder, pending);
  for (const [at, step] of plan.steps.entries())
    if (!(await isUndoable(step, stamps[at] ?? null, doing, since))) changed.push(step.path);
  return changed;
}

const LONGEST_STAMP = 384;

interface DoneCommit {
  readonly plan: Plan;
  readonly stamps: ReturnType<typeof stampsIn>;
}

/** An index that git wrote again with nothing but other times of files is what the commit left. */
function asFound(plan: Plan, doing: Doing): DoneCommit {
  const stamps = [...stampsIn(doing.folder)];
  const steps = plan.steps.map((step, at) => {
    const [after, path] = [stamps[at], doing.at(step.path)];
    const isLeft = after?.content !== undefined && !isLeftOut(step, after) && step.now?.ino !== undefined;
    const found = isLeft ? stampAt(path) : undefined;
    if (found === undefined || found.ino === step.was?.ino || found.ino === after?.ino) return step;
    if (indexContent(step.path, path) !== after?.content) return step;
    const now = { ...found, content: after?.content as string };
    stamps[at] = now;
    return { ...step, now };
  });
  return { plan: { ...plan, steps }, stamps };
}

function sinceDone(folder: string, pending: readonly string[] = []): Since {
  const since = lstatSync(join(folder, DONE), { bigint: true }).ctimeNs;
  return { since, later: laterCommands(folder, pending) };
}

async function isUndoable(step: Step, after: Stamp | null, doing: Doing, since: Since): Promise<boolean> {
  if (isLeftOut(step, after)) return true;
  const found = foundAt(step.path, doing.at(step.path), since);
  const { at, stamp, isThere } = found;
  if (isThere && isNowhere(at)) return false;
  if (after === null)
    return stamp === undefined && (step.does !== "remove" || inoAt(step.from) !== undefined);
  if (stamp === undefined || !isStillAs(after, step, found, since)) return false;
  if (step.does !== "replace") return true;
  if (inoAt(step.from) !== step.was?.ino) return false;
  const isFile = statsAt(at)?.isFile() === true;
  return !isThere || !isFile || (await doing.kernel.lease(at, stamp.ino)) === undefined;
}

/** Whether what is somewhere is what a step left at its path. Changes in a folder that was there before are others. */
function isStillAs(after: Stamp, { path, does }: Step, found: Found, since: Since): boolean {
  if (!isFolder(found.at)) return isAsLeft(found, path, after, since);
  const isNew = does === "put" || does === "replace";
  return found.stamp?.ino === after.ino && !(isNew && isTouched(found.at, path, since));
}

/** Takes all steps back; or none, and the paths that others changed in between. */
async function undone({ plan, stamps }: DoneCommit, doing: Doing): Promise<readonly string[]> {
  const { folder } = doing;
  const [since, late] = [sinceDone(folder), new Set<string>()];
  const afterOf = new Map(plan.steps.map(({ path }, at) => [path, stamps[at] ?? null]));
  const isAsLeft = (step: Step, at: string) => {
    const after = afterOf.get(step.path);
    const found = { at, stamp: stampAt(at), isThere: true };
    return after != null && isStillAs(after, step, found, since);
  };
  const isUndone = async (step: Step) =>
    isLeftOut(step, afterOf.get(step.path) ?? null) || (await isDone(undoStep(step, doing, isAsLeft)));
  try {
    for (const step of plan.steps.toReversed()) if (!(await isUndone(step))) late.add(step.path);
    if (late.size === 0) {
      await settleNames(plan, folder);
      replaceBy(folder, UNDONE, givenText(plan, stampsOf(plan, doing)));
      return [];
    }
  } catch (error) {
    await doneAgain(plan, doing);
    throw error;
  }
  await doneAgain(plan, doing);
  return [...late];
}

async function doneAgain(plan: Plan, doing: Doing): Promise<void> {
  using again = await renewed(doing);
  for (const step of plan.steps) await isDone(undoStep(inverse(step), again));
  const before = stampsIn(doing.folder);
  // Moving changes a time; what another program changed stays recognizable.
  const now = stampsOf(plan, again).map((one, at) => {
    const [old, path] = [before[at] ?? null, plan.steps[at]?.path ?? ""];
    return old === null || isEdited(again.at(path), old) ? old : one;
  });
  replaceBy(doing.folder, DONE, JSON.stringify(now));
}

/**
 * A commit that a process left half-done is done, or undone if it was being undone. Git's own locks stay until
 * then.
 * @throws ToolFailure `unavailable` while another process has a file of it open.
 */
export async function recoverCommit(folder: string): Promise<void> {
  const plan = planIn(folder);
  if (plan !== undefined) {
    using doing = await openDoing(plan.project, folder);
    if (existsSync(join(folder, BACK))) await undoSteps(plan, doing);
    else {
      if (!existsSync(join(folder, DONE))) {
        await leaseAll(plan.steps, doing);
        await carriedOut(plan, doing);
      }
      if (existsSync(join(folder, UNDOING))) {
        const done = asFound(plan, doing);
        await leaseAll(done.plan.steps.map(inverse), doing);
        await undone(done, doing);
      }
    }
  }
  removeLeftLocks(folder);
}

/** Of the files that are still to be replaced. */
async function leaseAll(steps: readonly Step[], doing: Doing): Promise<void> {
  for (const { path, does, was } of steps) {
    const at = doing.at(path);
    const found = statsAt(at);
    if (does !== "replace" || found?.isFile() !== true || `${found.ino}` !== was?.ino) continue;
    const why = await doing.kernel.lease(at, was.ino);
    if (why === undefined) continue;
    const message = `An interrupted commit cannot be finished: ${path} is ${why}.`;
    throw new ToolFailure("unavailable", message, { hint: "Close the file." });
  }
}
