import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StandingEvent } from "@toolkeep/core/journal";

/** What the database says of a session. */
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
}

const COLUMNS = `id, name, opened_at AS openedAt, active_at AS activeAt, next_seq AS nextSeq, last_turn AS lastTurn,
  calls, is_closed AS isClosed, head, owner, owner_pid AS ownerPid`;

/** Finds sessions and what still counts of them. */
export class SessionRows {
  readonly #byName: StatementSync;
  readonly #newest: StatementSync;
  readonly #standingEvents: StatementSync;

  constructor(db: DatabaseSync) {
    this.#byName = db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE name = ?`);
    this.#newest = db.prepare(
      `SELECT ${COLUMNS} FROM sessions WHERE next_seq > 0 ORDER BY active_at DESC, id DESC LIMIT ?`,
    );
    this.#standingEvents = db.prepare(
      `SELECT type, key, seq, first_seq AS firstSeq FROM standing_events WHERE session = ? ORDER BY seq`,
    );
  }

  byName(name: string): SessionRow | undefined {
    const row = this.#byName.get(name);
    return row === undefined ? undefined : toSession(row);
  }

  /** Those with at least one event, latest activity first. A limit of -1 is none. */
  newest(limit: number): readonly SessionRow[] {
    return this.#newest.all(limit).map(toSession);
  }

  standingEvents(session: number): readonly StandingEvent[] {
    return this.#standingEvents.all(session) as unknown as readonly StandingEvent[];
  }
}

function toSession(row: Record<string, unknown>): SessionRow {
  return { ...(row as unknown as SessionRow), isClosed: row["isClosed"] === 1 };
}
