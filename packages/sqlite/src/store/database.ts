import { DatabaseSync } from "node:sqlite";
import { ToolkeepError } from "@toolkeep/core";
import { errorText, invalidOption } from "@toolkeep/core/internal";

/** How a store writes. */
export interface WriteSettings {
  /**
   * `full` (default): what was flushed survives a power failure. `normal`: it survives the end of the process, and a
   * power failure can lose the last events.
   */
  readonly durability: "full" | "normal";
  /** How long to wait for another process that is writing. Default: 5000. */
  readonly busyTimeoutMs: number;
}

/**
 * Opens the database of a store.
 * @throws ToolkeepError `journal_broken` when it is damaged, foreign or newer than this version.
 */
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
    const result = write();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    // A failed commit may have ended the transaction already.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
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

/** The steps from each version of the schema to the next. Released steps never change. */
const STEPS: readonly string[] = [
  `
  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    opened_at INTEGER NOT NULL,
    active_at INTEGER NOT NULL,
    next_seq INTEGER NOT NULL DEFAULT 0,
    last_turn INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0,
    is_closed INTEGER NOT NULL DEFAULT 0,
    head TEXT NOT NULL,
    owner TEXT,
    owner_pid INTEGER,
    -- Counts how often the session was opened: the fence of its writer.
    epoch INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- The key is session * 2^32 + the number of the first event: one tree, in the order of every session.
  CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    events INTEGER NOT NULL,
    hash TEXT NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  -- A numbered turn is stored as its number, so that new rows are added at the end of the tree.
  CREATE TABLE turns (
    session INTEGER NOT NULL,
    turn ANY NOT NULL,
    first_seq INTEGER NOT NULL,
    PRIMARY KEY (session, turn, first_seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE standing_events (
    session INTEGER NOT NULL,
    type TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    PRIMARY KEY (session, type, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE approvals (
    project TEXT NOT NULL,
    entry TEXT NOT NULL,
    about TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    PRIMARY KEY (project, entry)
  ) STRICT, WITHOUT ROWID;
  -- What other processes send to a session, by its name: it need not exist yet. The content is in a file, which can
  -- be wiped; an entry without one was taken already.
  CREATE TABLE inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL,
    type TEXT NOT NULL,
    key TEXT NOT NULL,
    file TEXT,
    UNIQUE (session, type, key)
  ) STRICT;
  `,
];

/**
 * Brings a database to the current schema. Several processes may do it at once.
 * @throws ToolkeepError `journal_broken` for a foreign database, or one of a later version.
 */
function migrate(db: DatabaseSync, path: string): void {
  if (versionOf(db) === STEPS.length && applicationOf(db) === APPLICATION) return;
  inTransaction(db, () => {
    const version = versionOf(db);
    const isEmpty = count(db, "SELECT count(*) AS n FROM sqlite_schema") === 0;
    if (!isEmpty && applicationOf(db) !== APPLICATION) throw foreign(path);
    if (version > STEPS.length) throw tooNew(path, version);
    for (const step of STEPS.slice(version)) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${STEPS.length}`);
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
  const found = `${path} has schema version ${version}, and this version of Toolkeep supports up to ${STEPS.length}`;
  return new ToolkeepError("journal_broken", `${found}. It was not changed. Upgrade @toolkeep/sqlite.`);
}
