import type { DatabaseSync } from "node:sqlite";
import { batchKey } from "./batch-rows.ts";
import { inTransaction } from "./in-transaction.ts";
import { inUse, type Leases } from "./leases.ts";
import type { SessionRow } from "./session-rows.ts";

/**
 * Removes everything the database has of a session, and what its pages would keep of it.
 * @throws ToolkeepError `session_in_use`.
 */
export function forgetSession(db: DatabaseSync, session: SessionRow, leases: Leases): void {
  if (leases.isHeld(session)) throw inUse(session, session.owner === leases.token);
  db.exec("PRAGMA secure_delete = ON");
  try {
    inTransaction(db, () => {
      db.prepare("DELETE FROM batches WHERE id >= ? AND id < ?").run(
        batchKey(session.id, 0),
        batchKey(session.id + 1, 0),
      );
      for (const table of ["turns", "standing_events"])
        db.prepare(`DELETE FROM ${table} WHERE session = ?`).run(session.id);
      // Whoever claimed it since is fenced: there is nothing left to advance.
      db.prepare("DELETE FROM sessions WHERE id = ?").run(session.id);
    });
    // The log would keep the pages as they were.
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.exec("PRAGMA secure_delete = OFF");
  }
}
