import { lstat, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "./remove-folder.ts";
import { isLivedIn, randomName, SESSION_NAME, sessionName } from "./session-folder.ts";

export interface SweepOptions {
  /** What was changed later than this stays. */
  readonly olderThanMs: number;
  /** Sessions that will go on, e.g. because they wait for a person. */
  readonly keep?: readonly string[];
}

/** How many folders of sessions went, and how many stay. */
export interface SweptSidecars {
  readonly removed: number;
  readonly kept: number;
}

const SWEPT_NAME = /^swept-[0-9a-f]{32}$/;

/**
 * Removes what sessions that are gone have left. A session whose process is there is never touched, nor is
 * anything that is not a sidecar's folder of ours; links are not followed.
 */
export async function sweepSidecars(folder: string, options: SweepOptions): Promise<SweptSidecars> {
  const kept = new Set((options.keep ?? []).map(sessionName));
  const names = (await namesIn(folder)).filter((name) => SESSION_NAME.test(name) || SWEPT_NAME.test(name));
  let removed = 0;
  for (const name of names) {
    if (
      !kept.has(name) &&
      (await isLeft(join(folder, name), options.olderThanMs)) &&
      (await sweep(folder, name))
    )
      removed += 1;
  }
  return { removed, kept: names.length - removed };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function isLeft(path: string, olderThanMs: number): Promise<boolean> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined || !stat.isDirectory()) return false;
  if (process.getuid !== undefined && stat.uid !== process.getuid()) return false;
  if (await isLivedIn(path)) return false;
  let newest = stat.mtimeMs;
  for (const name of await namesIn(path)) {
    const inner = await lstat(join(path, name)).catch(() => undefined);
    newest = Math.max(newest, inner?.mtimeMs ?? 0);
  }
  return Date.now() - Math.floor(newest) >= olderThanMs;
}

/** Taken out of the way first: a session that moved in meanwhile is then seen, and gets its folder back. */
async function sweep(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name);
  const aside = SWEPT_NAME.test(name) ? path : join(folder, `swept-${randomName()}`);
  try {
    if (aside !== path) await rename(path, aside);
    if (!(await isLivedIn(aside))) return await removeFolder(aside);
    if (aside !== path) await rename(aside, path);
  } catch {
    // Somebody else is at it; there is a next time.
  }
  return false;
}
