import { type BigIntStats, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { stampOf, statsAt } from "../layer/change-set.ts";
import { numbersIn } from "../layer/open-layer.ts";
import { isSame, type Step, type WrittenStamp, written } from "./steps.ts";

/** What a command was undone with, in its folder: what its paths were then, which is a later time than they had. */
export const UNDONE = "undone";

type Given = Readonly<Record<string, WrittenStamp>>;

export function givenText(steps: readonly Step[], stamps: readonly (WrittenStamp | null)[]): string {
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

export function givenAt(path: string, { given }: Since): readonly WrittenStamp[] {
  return given.flatMap((one) => one[path] ?? []);
}

export function isAsLeft(found: BigIntStats, stamps: readonly WrittenStamp[]): boolean {
  return stamps.some((stamp) => isSame(written(stampOf(found)), stamp));
}

/** Whether something in a new folder was changed since by anything but commands that are undone. */
export function isTouched(
  { at, path }: { readonly at: string; readonly path: string },
  since: Since,
): boolean {
  return readdirSync(at, { withFileTypes: true }).some((entry) => {
    const inner = { at: join(at, entry.name), path: `${path}/${entry.name}` };
    if (entry.isDirectory()) return isTouched(inner, since);
    const found = statsAt(inner.at);
    return (
      found !== undefined && found.ctimeNs >= since.since && !isAsLeft(found, givenAt(inner.path, since))
    );
  });
}
