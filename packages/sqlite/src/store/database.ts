import { DatabaseSync, type StatementSync } from "node:sqlite";
import { ToolkeepError } from "@toolkeep/core";
import { errorText, invalidOption } from "@toolkeep/core/internal";
import { SCHEMA_STEPS } from "./schema-steps.ts";

/** How a store writes. */
export interface WriteSettings {
  /** `full` (default) survives a power failure. `normal` survives the end of the process, and may lose the last events. */
  readonly durability: "full" | "normal";
  /** How long to wait for another process that is writing. Default: 5000. */
  readonly busyTimeoutMs: number;
}

/** Opens a store's database. @throws ToolkeepError `journal_broken` if it is damaged, foreign or newer. */
export function openDatabase(path: string, { durability, busyTimeoutMs }: WriteSettings): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    // A page that is split keeps no copy of what moved to another one: what is deleted later would stay there.
    db.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = FAST");
    // Before the journal mode: a foreign database must stay as it is.
    migrate(db, path);
    useWal(db, path, busyTimeoutMs);
    db.exec(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
    return db;
  } catch (error) {
    db.close();
    if (ToolkeepError.isInstance(error)) throw error;
    throw new ToolkeepError(
      "journal_broken",
      `${path} cannot be opened: ${errorText(error)}. Nothing was changed.`,
      { cause: error },
    );
  }
}

/** Two processes that switch the mode at the same time fail without waiting, so this one tries again. */
function useWal(db: DatabaseSync, path: string, timeoutMs: number): void {
  const until = Date.now() + timeoutMs;
  for (;;) {
    try {
      const mode = db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
      if (mode === "wal") return;
      throw invalidOption(
        `${path} is on a file system that does not support a database shared by several processes. Choose a local disk.`,
      );
    } catch (error) {
      if (ToolkeepError.isInstance(error) || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Writes everything or nothing. Other writers wait. */
export function inTransaction<Result>(db: DatabaseSync, write: () => Result): Result {
  db.exec("BEGIN IMMEDIATE");
  try {
    assertNoTriggers(db);
    const result = write();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    // A failed commit may have ended the transaction already.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

const triggerQueries = new WeakMap<DatabaseSync, StatementSync>();

/**
 * A store has no triggers: one can drop, change or remove rows as they are written, so that a call would run without a
 * record. Within the transaction, which no other process can add one to.
 */
function assertNoTriggers(db: DatabaseSync): void {
  let query = triggerQueries.get(db);
  if (query === undefined) {
    query = db.prepare(
      "SELECT name, tbl_name AS tableName FROM sqlite_schema WHERE type = 'trigger' LIMIT 1",
    );
    triggerQueries.set(db, query);
  }
  const found = query.get();
  if (found === undefined) return;
  const name = String(found["name"]);
  throw new ToolkeepError(
    "journal_broken",
    `Nothing is written to this store: the trigger ${JSON.stringify(name)} on its table ${JSON.stringify(found["tableName"])} could change the record. Find out who made it, then remove it: DROP TRIGGER "${name.replaceAll('"', '""')}".`,
  );
}

/** Reads the state of one moment, while others write. */
export function inSnapshot<Result>(db: DatabaseSync, read: () => Result): Result {
  db.exec("BEGIN");
  try {
    return read();
  } finally {
    if (db.isTransaction) db.exec("COMMIT");
  }
}

/** Wraps an error of SQLite for the host application. Errors of Toolkeep stay as they are. */
export function unreadableStore(folder: string, cause: unknown): ToolkeepError {
  if (ToolkeepError.isInstance(cause)) return cause;
  const message = `The store in ${folder} cannot be read: ${errorText(cause)}.`;
  return new ToolkeepError("journal_broken", message, { cause });
}

/** Marks a database as one of Toolkeep: "tkpr". */
const APPLICATION = 0x746b7072;

/** Brings a database to the current schema, also several processes at once. @throws ToolkeepError `journal_broken`. */
function migrate(db: DatabaseSync, path: string): void {
  if (versionOf(db) === SCHEMA_STEPS.length && applicationOf(db) === APPLICATION) return;
  inTransaction(db, () => {
    const version = versionOf(db);
    const isEmpty = count(db, "SELECT count(*) AS n FROM sqlite_schema") === 0;
    if (!isEmpty && applicationOf(db) !== APPLICATION) throw foreign(path);
    if (version > SCHEMA_STEPS.length) throw tooNew(path, version);
    for (const step of SCHEMA_STEPS.slice(version)) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${SCHEMA_STEPS.length}`);
  });
}

function versionOf(db: DatabaseSync): number {
  return count(db, "SELECT user_version AS n FROM pragma_user_version");
}

function applicationOf(db: DatabaseSync): number {
  return count(db, "SELECT application_id AS n FROM pragma_application_id");
}

function count(db: DatabaseSync, sql: string): number {
  return Number(db.prepare(sql).get()?.["n"]);
}

function foreign(path: string): ToolkeepError {
  const message = `${path} is the database of another program. It was not changed. Choose another folder.`;
  return new ToolkeepError("journal_broken", message);
}

function tooNew(path: string, version: number): ToolkeepError {
  const found = `${path} has schema version ${version}, and this version of Toolkeep supports up to ${SCHEMA_STEPS.length}`;
  return new ToolkeepError("journal_broken", `${found}. It was not changed. Upgrade @toolkeep/sqlite.`);
}
