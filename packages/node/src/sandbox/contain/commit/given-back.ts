import { type BigIntStats, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { numbersIn } from "../layer/open-layer.ts";
import { isSame, type Stamp, stampOf, statsAt } from "../layer/stamp.ts";
import type { Step } from "./steps.ts";

/** What a command was undone with, in its folder: what its paths were then, which is a later time than they had. */
export const UNDONE = "undone";

type Given = Readonly<Record<string, Stamp>>;

export function givenText(steps: readonly Step[], stamps: readonly (Stamp | null)[]): string {
  return JSON.stringify(Object.fromEntries(steps.map(({ path }, at) => [path, stamps[at]])));
}

/** What may have changed a path since a command was done, without being an edit. */
export interface Since {
  readonly since: bigint;
  readonly given: readonly Given[];
}

/** What commands after this one gave back. */
export function givenBack(folder: string): readonly Given[] {
  return numbersIn(dirname(folder))
    .filter((number) => number > Number(basename(folder)))
    .map((number) => join(dirname(folder), `${number}`, UNDONE))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, "utf8") || "{}") as Given);
}

export function givenAt(path: string, { given }: Since): readonly Stamp[] {
  return given.flatMap((one) => one[path] ?? []);
}

export function isAsLeft(found: BigIntStats, stamps: readonly Stamp[]): boolean {
  return stamps.some((stamp) => isSame(stampOf(found), stamp));
}

/** Whether something in a new folder was changed since by anything but commands that are undone. */
export function isTouched(at: string, path: string, since: Since): boolean {
  return readdirSync(at, { recursive: true, withFileTypes: true }).some((entry) => {
    const inner = join(entry.parentPath, entry.name);
    const found = entry.isDirectory() ? undefined : statsAt(inner);
    if (found === undefined || found.ctimeNs < since.since) return false;
    return !isAsLeft(found, givenAt(join(path, inner.slice(at.length)), since));
  });
}
