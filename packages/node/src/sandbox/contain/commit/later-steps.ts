import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isBeneath, unlessThrown } from "@toolkeep/core/internal";
import { numbersIn } from "../layer/open-layer.ts";
import { isFolder, isSame, type Stamp, stampAt, stampOf, statsAt } from "../layer/stamp.ts";
import { indexContent } from "./index-content.ts";
import { type Given, isLeftOut, planIn, stampsIn, UNDONE } from "./notes.ts";
import type { Step } from "./steps.ts";

/** A later command that is undone, or that is to be undone first. */
interface LaterCommand {
  /** What it did, by path. */
  readonly steps: ReadonlyMap<string, Step>;
  /** What its undoing gave back; missing while it is to be undone. */
  readonly given?: Given;
}

/** What may have changed a path since a command was done, without being an edit. The earliest is first. */
export interface Since {
  readonly since: bigint;
  readonly later: readonly LaterCommand[];
}

/** `pending`: folders of later commands that are to be undone before. */
export function laterCommands(folder: string, pending: readonly string[]): readonly LaterCommand[] {
  return numbersIn(dirname(folder))
    .filter((number) => number > Number(basename(folder)))
    .map((number) => join(dirname(folder), `${number}`))
    .flatMap((at): readonly LaterCommand[] => {
      const isUndone = existsSync(join(at, UNDONE));
      if (!isUndone && !pending.includes(at)) return [];
      const stamps = unlessThrown(() => stampsIn(at)) ?? [];
      const done = planIn(at)?.steps.filter((step, index) => !isLeftOut(step, stamps[index] ?? null));
      const steps = new Map(done?.map((step) => [step.path, step]));
      if (!isUndone) return [{ steps }];
      const given = JSON.parse(readFileSync(join(at, UNDONE), "utf8") || "{}") as Given;
      return [{ steps, given }];
    });
}

/** What a step displaced, as it was found. */
function displaced({ over, was }: Step): Stamp | undefined {
  return over ?? was;
}

/** What is at a path once the commands that are to be undone first are undone. */
export interface Found {
  readonly at: string;
  readonly stamp: Stamp | undefined;
  /** Whether it is there already. */
  readonly isThere: boolean;
}

export function foundAt(path: string, at: string, { later }: Since): Found {
  for (const { steps, given } of later) {
    if (given !== undefined) continue;
    const step = steps.get(path);
    if (step !== undefined) {
      const isMoved = step.does === "replace" || step.does === "remove";
      return { at: isMoved ? step.from : at, stamp: displaced(step), isThere: false };
    }
    for (let above = dirname(path); above !== "."; above = dirname(above)) {
      const { does, from, was } = steps.get(above) ?? {};
      if (does === "put") return { at, stamp: undefined, isThere: false };
      if (from === undefined || was === undefined || (does !== "remove" && does !== "replace")) continue;
      const moved = join(from, path.slice(above.length));
      return { at: moved, stamp: stampAt(moved), isThere: false };
    }
  }
  return { at, stamp: stampAt(at), isThere: true };
}

/**
 * Whether a stamp is of the version that a command left: `isOwn` says so, or undoing a later command gave back that
 * very version. What a later command displaced can be an edit of the user's.
 */
function isVersion(stamp: Stamp, path: string, { later }: Since, isOwn: (stamp: Stamp) => boolean): boolean {
  const given: Stamp[] = [];
  const isIt = (one: Stamp) => isOwn(one) || given.some((other) => isSame(one, other));
  for (const one of later) {
    const [step, back] = [one.steps.get(path), one.given?.[path]];
    const over = step && displaced(step);
    if (over !== undefined && back != null && isIt(over)) given.push(back);
  }
  return isIt(stamp);
}

/** Whether a file, or something else that is no folder, is as a command left it at its path. */
export function isAsLeft({ at, stamp }: Found, path: string, after: Stamp, since: Since): boolean {
  if (stamp === undefined) return false;
  if (isVersion(stamp, path, since, (one) => isSame(one, after))) return true;
  return after.content !== undefined && indexContent(path, at) === after.content;
}

/** Whether something in a new folder was changed since by anything but commands that are undone, or are to be. */
export function isTouched(at: string, path: string, since: Since): boolean {
  const isOwn = ({ ctimeNs }: Stamp) => BigInt(ctimeNs) < since.since;
  const isChanged = (inner: string, stamp: Stamp, isOfFolder: boolean) => {
    if (isVersion(stamp, inner, since, isOwn)) return false;
    // Its entries came and went with these commands; what else is in it is looked at by itself.
    return (
      !isOfFolder || !since.later.some(({ steps }) => [...steps.keys()].some((one) => dirname(one) === inner))
    );
  };
  const pending = new Map<string, Step>();
  for (const { steps, given } of since.later)
    for (const [inner, step] of steps)
      if (given === undefined && isBeneath(inner, path) && !pending.has(inner)) pending.set(inner, step);
  const isOfPending = (inner: string) => {
    for (let one = inner; one !== path; one = dirname(one)) {
      const does = pending.get(one)?.does;
      if (does !== undefined && (one === inner || does !== "mode")) return true;
    }
    return false;
  };
  const isEntryTouched = readdirSync(at, { recursive: true, withFileTypes: true }).some((entry) => {
    const found = join(entry.parentPath, entry.name);
    const inner = join(path, found.slice(at.length));
    if (isOfPending(inner)) return false;
    const stats = statsAt(found);
    return stats !== undefined && isChanged(inner, stampOf(stats), stats.isDirectory());
  });
  if (isEntryTouched) return true;
  return [...pending].some(([inner, step]) => {
    const over = displaced(step);
    if (over === undefined) return false;
    const isMoved = (step.does === "replace" || step.does === "remove") && isFolder(step.from);
    return isChanged(inner, over, isMoved) || (isMoved && isTouched(step.from, inner, since));
  });
}
