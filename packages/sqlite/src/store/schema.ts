import type { DatabaseSync } from "node:sqlite";
import { ToolkeepError } from "@toolkeep/core";

/** Marks a database as one of ours: "tkpr". */
const APPLICATION = 0x746b7072;

/** What leads from each version of the schema to the next. Only ever added to. */
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
    owner_pid INTEGER
  ) STRICT;
  -- The key is session * 2^32 + the number of the first event: one tree, in the order of every session.
  CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    events INTEGER NOT NULL,
    hash TEXT NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  -- Turns that are counted are kept as their number: they are added at the end, and not all over the tree.
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
  `,
];

/**
 * Brings a database to the schema of today. Safe when several processes do it at once.
 * @throws ToolkeepError `journal_broken` for a database of something else, or of a later version.
 */
export function migrate(db: DatabaseSync, path: string): void {
  if (versionOf(db) === STEPS.length && applicationOf(db) === APPLICATION) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(db);
    const isEmpty = count(db, "SELECT count(*) AS n FROM sqlite_schema") === 0;
    if (!isEmpty && applicationOf(db) !== APPLICATION) throw notOurs(path);
    if (version > STEPS.length) throw later(path, version);
    for (const step of STEPS.slice(version)) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${STEPS.length}; COMMIT`);
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
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

function notOurs(path: string): ToolkeepError {
  return new ToolkeepError("journal_broken", `${path} is a database of something else. It was not touched.`);
}

function later(path: string, version: number): ToolkeepError {
  const diagnostic = `${path} has version ${version} of the schema, and this program knows ${STEPS.length}`;
  return new ToolkeepError("journal_broken", `${diagnostic}. It was not touched: use a newer program.`);
}
