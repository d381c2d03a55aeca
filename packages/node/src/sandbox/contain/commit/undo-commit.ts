import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import { inoAt, isEdited, type Stamp, stampAt, statsAt } from "../layer/stamp.ts";
import { isDone } from "./commit.ts";
import { lockRepositories } from "./git-locks.ts";
import { givenAt, givenBack, givenText, isAsLeft, isTouched, type Since, UNDONE } from "./given-back.ts";
import { indexContent } from "./index-content.ts";
import { openKernelCalls } from "./kernel-calls.ts";
import {
  DONE,
  isLeftOut,
  noted,
  type Plan,
  planIn,
  replaceBy,
  settleNames,
  stampsIn,
  stampsOf,
  UNDOING,
} from "./notes.ts";
import { type Doing, type HeldFolders, heldFolders, inverse, type Step, undoStep } from "./steps.ts";

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
  using kernel = await openKernelCalls(dirname(folder));
  using folders = heldFolders(committed.project);
  const doing = { folders, kernel };
  using locks = lockRepositories({ project: committed.project, folders, folder, changes: committed.steps });
  const done = asFound(committed, folder, folders);
  const { plan } = done;
  const changed = await changedPaths(done, folder, doing);
  if (changed.length > 0) throw new ChangedSince(changed, folder);
  const paths = plan.steps.map(({ path }) => path);
  const locked = paths.filter(locks.isHeld);
  if (locked.length > 0) throw new ChangedSince(locked, folder);
  // With space for what is written once it is done: then a full disk cannot stop it half-way.
  await noted(folder, UNDOING, " ".repeat(JSON.stringify(plan).length + LONGEST_STAMP * plan.steps.length));
  const late = await undone(done, folder, doing);
  if (late.length > 0) throw new ChangedSince(late, folder);
  return paths;
}

/**
 * Whether a command could be undone now, as far as `later` commands did not change the same paths.
 * @throws ChangedSince
 */
export async function checkUndo(folder: string, later: readonly string[]): Promise<void> {
  const committed = planIn(folder);
  if (committed === undefined) return;
  using kernel = await openKernelCalls(dirname(folder));
  using folders = heldFolders(committed.project);
  const changed = await changedPaths(asFound(committed, folder, folders), folder, { folders, kernel });
  const own = changed.filter((path) => !later.some((one) => isWithin(one, path)));
  if (own.length > 0) throw new ChangedSince(own, folder);
}

async function changedPaths({ plan, stamps }: DoneCommit, folder: string, doing: Doing) {
  const changed: string[] = [];
  const checking = { ...doing, ...sinceDone(folder) };
  for (const [at, step] of plan.steps.entries())
    if (!(await isUndoable(step, stamps[at] ?? null, checking))) changed.push(step.path);
  return changed;
}

const LONGEST_STAMP = 384;

interface DoneCommit {
  readonly plan: Plan;
  readonly stamps: ReturnType<typeof stampsIn>;
}

/** An index that git wrote again with nothing but other times of files is what the commit left. */
export function asFound(plan: Plan, folder: string, folders: HeldFolders): DoneCommit {
  const stamps = [...stampsIn(folder)];
  const steps = plan.steps.map((step, at) => {
    const [after, path] = [stamps[at], folders.at(step.path)];
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

function sinceDone(folder: string): Since {
  return { since: lstatSync(join(folder, DONE), { bigint: true }).ctimeNs, given: givenBack(folder) };
}

async function isUndoable(step: Step, after: Stamp | null, undoing: Doing & Since): Promise<boolean> {
  const at = undoing.folders.at(step.path);
  const found = statsAt(at);
  if (isLeftOut(step, after)) return true;
  if (after === null)
    return found === undefined && (step.does !== "remove" || inoAt(step.from) !== undefined);
  if (found === undefined || !isStillAs(after, { at, step }, undoing)) return false;
  if (step.does !== "replace") return true;
  const isThere = inoAt(step.from) === step.was?.ino;
  return isThere && (!found.isFile() || (await undoing.kernel.lease(at, `${found.ino}`)) === undefined);
}

/** Whether what is somewhere is what a step left at its path. Changes in a folder that was there before are others. */
function isStillAs(
  after: Stamp,
  { at, step: { path, does } }: { readonly at: string; readonly step: Step },
  since: Since,
): boolean {
  const found = statsAt(at);
  if (found?.isDirectory() !== true)
    return found !== undefined && isAsLeft(found, [after, ...givenAt(path, since)]);
  const isNew = does === "put" || does === "replace";
  return `${found.ino}` === after.ino && !(isNew && isTouched(at, path, since));
}

/** Takes all steps back; or none, and the paths that others changed in between. */
export async function undone(
  { plan, stamps }: DoneCommit,
  folder: string,
  doing: Doing,
): Promise<readonly string[]> {
  const [since, late] = [sinceDone(folder), new Set<string>()];
  const afterOf = new Map(plan.steps.map(({ path }, at) => [path, stamps[at] ?? null]));
  const isAsLeft = (step: Step, at: string) => {
    const after = afterOf.get(step.path);
    return after != null && isStillAs(after, { at, step }, since);
  };
  const isUndone = async (step: Step) =>
    isLeftOut(step, afterOf.get(step.path) ?? null) || (await isDone(undoStep(step, doing, isAsLeft)));
  try {
    for (const step of plan.steps.toReversed()) if (!(await isUndone(step))) late.add(step.path);
    if (late.size === 0) {
      await settleNames(plan, folder);
      replaceBy(folder, UNDONE, givenText(plan.steps, stampsOf(plan, doing)));
      return [];
    }
  } catch (error) {
    doing.kernel[Symbol.dispose]();
    await doneAgain(plan, folder, doing);
    throw error;
  }
  doing.kernel[Symbol.dispose]();
  await doneAgain(plan, folder, doing);
  return [...late];
}

async function doneAgain(plan: Plan, folder: string, { folders }: Pick<Doing, "folders">): Promise<void> {
  using kernel = await openKernelCalls(dirname(folder));
  const doing = { folders, kernel };
  for (const step of plan.steps) await isDone(undoStep(inverse(step), doing));
  const before = stampsIn(folder);
  // Moving changes a time; what another program changed stays recognizable.
  const now = stampsOf(plan, doing).map((one, at) => {
    const [old, path] = [before[at] ?? null, plan.steps[at]?.path ?? ""];
    return old === null || isEdited(folders.at(path), old) ? old : one;
  });
  replaceBy(folder, DONE, JSON.stringify(now));
}
