import { DatabaseSync } from "node:sqlite";
import { ToolkeepError } from "@toolkeep/core";
import { errorMessage } from "./error-message.ts";
import { migrate } from "./schema.ts";

/** How a store writes. */
export interface WriteSettings {
  /**
   * `full`: what was flushed survives a loss of power. `normal`: it survives the end of the process, and a
   * loss of power may take the last of it.
   */
  readonly durability: "full" | "normal";
  /** How long to wait for another process that is writing. */
  readonly busyTimeoutMs: number;
}

/**
 * Opens the database of a store.
 * @throws ToolkeepError `journal_broken` when it is damaged, foreign or newer than this program.
 */
export function openDatabase(path: string, { durability, busyTimeoutMs }: WriteSettings): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    db.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
    // Read first: a foreign database is not even switched to another mode.
    migrate(db, path);
    useWal(db, path, busyTimeoutMs);
    db.exec(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
    return db;
  } catch (error) {
    db.close();
    if (ToolkeepError.isInstance(error)) throw error;
    throw new ToolkeepError(
      "journal_broken",
      `${path} cannot be opened: ${errorMessage(error)}. Nothing was changed.`,
      { cause: error },
    );
  }
}

/** Two processes that switch at once get in each other's way without waiting: the later one tries again. */
function useWal(db: DatabaseSync, path: string, patienceMs: number): void {
  const until = Date.now() + patienceMs;
  for (;;) {
    try {
      const mode = db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
      if (mode === "wal") return;
      throw new ToolkeepError(
        "invalid_option",
        `${path} is on a file system that several processes cannot share.`,
      );
    } catch (error) {
      if (ToolkeepError.isInstance(error) || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
