import type { DatabaseSync } from "node:sqlite";

/** Writes all of it or nothing. Whoever else wants to write waits meanwhile. */
export function inTransaction<Result>(db: DatabaseSync, write: () => Result): Result {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = write();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    // A failed commit may have ended the transaction by itself.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}
