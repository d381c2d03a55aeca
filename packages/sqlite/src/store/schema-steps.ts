/** The steps from each version of the schema to the next. Released steps never change. */
export const SCHEMA_STEPS: readonly string[] = [
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
