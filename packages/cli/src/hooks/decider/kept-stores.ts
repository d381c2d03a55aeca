import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { SqliteStore } from "@toolkeep/sqlite";
import { type HookStores, openHookStore } from "../decide/conversation/hook-stores.ts";

/** An open store looks for news all the time, so it is not kept for long. */
const KEPT_MS = 30_000;
const MOST_KEPT = 8;

interface Kept {
  readonly store: SqliteStore;
  /** Which files it has open. */
  readonly stamp: string;
  users: number;
  isRetired: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Keeps stores open between decisions. To open one and to close it again writes everything to the disk, and takes
 * longer than the decision. Sessions are not kept, so a hook that decides in process can open them.
 */
export class KeptStores implements HookStores {
  readonly #kept = new Map<string, Kept>();

  async use<Result>(path: string, use: (store: SqliteStore) => Promise<Result>): Promise<Result> {
    const kept = this.#take(path);
    kept.users += 1;
    clearTimeout(kept.timer);
    try {
      return await use(kept.store);
    } catch (error) {
      // A session may have been left open in it.
      this.#retire(path, kept);
      throw error;
    } finally {
      kept.users -= 1;
      if (kept.users === 0) await this.#rest(path, kept);
    }
  }

  async close(): Promise<void> {
    for (const [path, kept] of this.#kept) {
      clearTimeout(kept.timer);
      this.#retire(path, kept);
      if (kept.users === 0) await closed(kept);
    }
  }

  /** The store that is open, if its files are still those at the path. */
  #take(path: string): Kept {
    const known = this.#kept.get(path);
    if (known !== undefined) {
      if (known.stamp === stampOf(path)) return known;
      this.#retire(path, known);
      if (known.users === 0) {
        clearTimeout(known.timer);
        void closed(known);
      }
    }
    const store = openHookStore(path);
    const kept: Kept = { store, stamp: stampOf(path), users: 0, isRetired: this.#kept.size >= MOST_KEPT };
    if (!kept.isRetired) this.#kept.set(path, kept);
    return kept;
  }

  /** It is not given to another decision. Its last one closes it. */
  #retire(path: string, kept: Kept): void {
    kept.isRetired = true;
    if (this.#kept.get(path) === kept) this.#kept.delete(path);
  }

  async #rest(path: string, kept: Kept): Promise<void> {
    if (kept.isRetired) return closed(kept);
    kept.timer = setTimeout(() => {
      this.#retire(path, kept);
      void closed(kept);
    }, KEPT_MS).unref();
  }
}

/** What its sessions wrote is written when they are closed. */
async function closed({ store }: Kept): Promise<void> {
  await store.close().catch(() => undefined);
}

/** Changes when the directory or the database is replaced, or becomes open to other users. */
function stampOf(folder: string): string {
  return [folder, join(folder, "toolkeep.db")].map(stampOfOne).join(" ");
}

function stampOfOne(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? "none" : [found.dev, found.ino, found.mode, found.uid].join(":");
}
