import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { errorCode } from "../../../files/file-failure.ts";
import { inRepository } from "../layer/git-changes.ts";
import { inoAt } from "../layer/stamp.ts";
import { type Doing, heldFolders } from "./steps.ts";

/**
 * Takes the locks that git itself takes on what is about to change in repositories, so that no git of the user's is at work
 * meanwhile. The folder of the command remembers them.
 */
export function lockRepositories(doing: Doing, changes: readonly { readonly path: string }[]) {
  const { project, folder } = doing;
  const waiting = new Set<string>();
  const locks: string[] = [];
  const wanted = changes.flatMap(({ path }) => {
    const { store, rest } = inRepository(path) ?? { store: "", rest: "" };
    return LOCKED.test(rest) ? [{ store, lock: `${path}.lock` }] : [];
  });
  const left: LeftLocks = { project, locks: wanted.map(({ lock }) => lock) };
  if (wanted.length > 0) {
    writeFileSync(join(folder, LOCK), "", { mode: 0o644 });
    writeFileSync(join(folder, LOCKS), JSON.stringify(left), { flush: true });
  }
  for (const { store, lock } of wanted)
    try {
      const at = doing.at(lock);
      linkSync(join(folder, LOCK), at);
      locks.push(at);
    } catch (error) {
      // In a folder that is made with the commit there is no other process.
      if (errorCode(error) !== "ENOENT") waiting.add(store);
    }
  return {
    /** Whether a path is in a repository that another git is at work in. */
    isHeld: (path: string) => waiting.has(inRepository(path)?.store ?? ""),
    [Symbol.dispose]() {
      for (const lock of locks) rmSync(lock, { force: true });
      for (const name of [LOCKS, LOCK]) rmSync(join(folder, name), { force: true });
    },
  };
}

export const LOCKS = "locks.json";
/** All locks are this file, by other names: those of git are other files. */
const LOCK = "lock";

interface LeftLocks {
  readonly project: string;
  readonly locks: readonly string[];
}

/** Those of a process that was killed. */
export function removeLeftLocks(folder: string): void {
  const own = inoAt(join(folder, LOCK));
  // Locks are taken once all of it is on the disk.
  const left = unlessThrown(() => JSON.parse(readFileSync(join(folder, LOCKS), "utf8")) as LeftLocks);
  if (left !== undefined) {
    using folders = heldFolders(left.project);
    for (const lock of left.locks)
      try {
        const at = folders.at(lock);
        if (own !== undefined && inoAt(at) === own) rmSync(at);
      } catch (error) {
        if (errorCode(error) !== "ENOENT") throw error;
      }
  }
  for (const name of [LOCKS, LOCK]) rmSync(join(folder, name), { force: true });
}

const LOCKED =
  /^(?:index|HEAD|config|packed-refs|shallow|refs\/(?:heads|tags|remotes|notes)\/.+|refs\/stash)$/;
