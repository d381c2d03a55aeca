import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StandingEvent } from "@toolkeep/core/journal";

/** Names the record of the store itself. No session can be opened under a name with a `/`. */
export const STORE_RECORD = "toolkeep/store";

/** The row of a session. */
export interface SessionRow {
  readonly id: number;
  readonly name: string;
  readonly openedAt: number;
  readonly activeAt: number;
  readonly nextSeq: number;
  readonly lastTurn: number;
  readonly calls: number;
  readonly isClosed: boolean;
  readonly head: string;
  readonly owner: string | null;
  readonly ownerPid: number | null;
  readonly epoch: number;
}

const COLUMNS = `id, name, opened_at AS openedAt, active_at AS activeAt, next_seq AS nextSeq, last_turn AS lastTurn,
  calls, is_closed AS isClosed, head, owner, owner_pid AS ownerPid, epoch`;

/** Finds sessions and the index of their standing events. */
export class SessionRows {
  readonly #byName: StatementSync;
  readonly #newest: StatementSync;
  readonly #all: StatementSync;
  readonly #standingEvents: StatementSync;
  readonly #standingOfTypes: StatementSync;

  constructor(db: DatabaseSync) {
    this.#byName = db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE name = ?`);
    this.#newest = db.prepare(
      `SELECT ${COLUMNS} FROM sessions WHERE next_seq > 0 AND name <> '${STORE_RECORD}'
       ORDER BY active_at DESC, id DESC LIMIT ?`,
    );
    this.#all = db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE next_seq > 0 ORDER BY name`);
    const standing = "SELECT type, key, seq, first_seq AS firstSeq FROM standing_events WHERE session = ?";
    this.#standingEvents = db.prepare(`${standing} ORDER BY seq`);
    this.#standingOfTypes = db.prepare(
      `${standing} AND type IN (SELECT value FROM json_each(?)) ORDER BY seq`,
    );
  }

  byName(name: string): SessionRow | undefined {
    const row = this.#byName.get(name);
    return row === undefined ? undefined : toSession(row);
  }

  /** Sessions with at least one event, latest activity first. A limit of -1 is no limit. */
  newest(limit: number): readonly SessionRow[] {
    return this.#newest.all(limit).map(toSession);
  }

  /** Every session with at least one event, and the record of the store, by name. */
  all(): readonly SessionRow[] {
    return this.#all.all().map(toSession);
  }

  /** In order; of these types alone, where some are given. */
  standingEvents(session: number, types?: readonly string[]): readonly StandingEvent[] {
    const rows =
      types === undefined
        ? this.#standingEvents.all(session)
        : this.#standingOfTypes.all(session, JSON.stringify(types));
    return rows as unknown as readonly StandingEvent[];
  }
}

function toSession(row: Record<string, unknown>): SessionRow {
  return { ...(row as unknown as SessionRow), isClosed: row["isClosed"] === 1 };
}
