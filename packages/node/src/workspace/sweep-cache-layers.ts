import { globSync, lstatSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { takeFileLock } from "../owned-files/with-file-lock.ts";
import { isAbove, removeAll, type TemporaryBounds } from "./temporary-folder.ts";

interface SweepOptions {
  /** What one layer may hold. */
  readonly bounds?: TemporaryBounds;
  readonly unusedMs?: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const BOUNDS: TemporaryBounds = { bytes: 5 * 2 ** 30, entries: 500_000 };

/** Removes layers over caches that hold too much or are not used any more; never those that a command has open. */
export async function sweepCacheLayers(layers: string, options: SweepOptions = {}): Promise<void> {
  const { bounds = BOUNDS, unusedMs = 30 * DAY_MS } = options;
  if (!isDue(layers)) return;
  for (const lock of globSync("*/*.lock", { cwd: layers }).map((name) => join(layers, name))) {
    const held = takeFileLock(lock);
    if (held === undefined) continue;
    const layer = lock.slice(0, -".lock".length);
    const isUnused = Date.now() - lstatSync(lock).mtimeMs > unusedMs;
    if (isUnused || (await isAbove(layer, bounds))) await removeAll([layer]);
    held.close();
  }
}

/** Counting takes long, so that it is done once a day. */
function isDue(layers: string): boolean {
  if (lstatSync(layers, { throwIfNoEntry: false }) === undefined) return false;
  const mark = join(layers, "swept");
  const last = lstatSync(mark, { throwIfNoEntry: false });
  if (last !== undefined && Date.now() - last.mtimeMs < DAY_MS) return false;
  writeFileSync(mark, "", { mode: 0o600 });
  utimesSync(mark, new Date(), new Date());
  return true;
}
