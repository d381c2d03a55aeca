import { lstat, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { isInUse, randomName, removeFolder, SESSION_NAME, sessionName } from "./session-folder.ts";

export interface SweepOptions {
  /** Keeps folders that changed within this time. */
  readonly olderThanMs: number;
  /** Sessions that continue later, for example because they wait for an approval. */
  readonly keep?: readonly string[];
}

/** How many session folders were removed, and how many are left. */
export interface SweptSidecars {
  readonly removed: number;
  readonly kept: number;
}

const SWEPT_NAME = /^swept-[0-9a-f]{32}$/;

/**
 * Removes output folders of sessions whose process has ended. Never touches the folder of a running process or
 * anything that is not an output folder of this user; does not follow links.
 */
export async function sweepSidecars(folder: string, options: SweepOptions): Promise<SweptSidecars> {
  const kept = new Set((options.keep ?? []).map(sessionName));
  const names = (await namesIn(folder)).filter((name) => SESSION_NAME.test(name) || SWEPT_NAME.test(name));
  let removed = 0;
  for (const name of names) {
    if (
      !kept.has(name) &&
      (await isAbandoned(join(folder, name), options.olderThanMs)) &&
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

async function isAbandoned(path: string, olderThanMs: number): Promise<boolean> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined || !stat.isDirectory()) return false;
  if (process.getuid !== undefined && stat.uid !== process.getuid()) return false;
  if (await isInUse(path)) return false;
  let newest = stat.mtimeMs;
  for (const name of await namesIn(path)) {
    const inner = await lstat(join(path, name)).catch(() => undefined);
    newest = Math.max(newest, inner?.mtimeMs ?? 0);
  }
  return Date.now() - Math.floor(newest) >= olderThanMs;
}

/** Renames the folder first: a session that claimed it meanwhile is then found, and gets it back. */
async function sweep(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name);
  const aside = SWEPT_NAME.test(name) ? path : join(folder, `swept-${randomName()}`);
  try {
    if (aside !== path) await rename(path, aside);
    if (!(await isInUse(aside))) return await removeFolder(aside);
    if (aside !== path) await rename(aside, path);
  } catch {
    // Another process removes or claims it; the next sweep tries again.
  }
  return false;
}
