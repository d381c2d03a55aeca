import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ToolkeepError } from "@toolkeep/core";
import { CHAIN_START } from "@toolkeep/core/journal";
import { inTransaction } from "./in-transaction.ts";
import type { Owner } from "./owner.ts";
import type { SessionRow, SessionRows } from "./session-rows.ts";

/** Who may write to which session: one process at a time, as long as it lives. */
export class Leases {
  readonly #db: DatabaseSync;
  readonly #sessions: SessionRows;
  readonly #owner: Owner;
  readonly #insert: StatementSync;
  readonly #take: StatementSync;
  readonly #give: StatementSync;
  readonly #removeEmpty: StatementSync;

  constructor(db: DatabaseSync, sessions: SessionRows, owner: Owner) {
    this.#db = db;
    this.#sessions = sessions;
    this.#owner = owner;
    this.#insert = db.prepare("INSERT INTO sessions (name, opened_at, active_at, head) VALUES (?, ?, ?, ?)");
    this.#take = db.prepare("UPDATE sessions SET owner = ?, owner_pid = ? WHERE id = ?");
    this.#give = db.prepare("UPDATE sessions SET owner = NULL, owner_pid = NULL WHERE id = ? AND owner = ?");
    this.#removeEmpty = db.prepare("DELETE FROM sessions WHERE id = ? AND next_seq = 0 AND owner IS NULL");
  }

  /** Under which name the leases of this store are written. */
  get token(): string {
    return this.#owner.token;
  }

  /**
   * Takes the lease of a session, which is made if there is none of that name.
   * @throws ToolkeepError `session_in_use` while its owner lives.
   */
  claim(name: string): SessionRow {
    this.#owner.appear();
    return inTransaction(this.#db, () => {
      const found = this.#sessions.byName(name) ?? this.#made(name);
      if (this.isHeld(found)) throw inUse(found, found.owner === this.token);
      this.#take.run(this.token, process.pid, found.id);
      return found;
    });
  }

  /** Gives the lease back. A session that nothing was written to is gone with it. */
  release(session: number): void {
    this.#give.run(session, this.token);
    this.#removeEmpty.run(session);
  }

  isHeld({ owner }: Pick<SessionRow, "owner">): boolean {
    return owner !== null && this.#owner.isAlive(owner);
  }

  #made(name: string): SessionRow {
    const now = Date.now();
    this.#insert.run(name, now, now, CHAIN_START);
    return this.#sessions.byName(name) as SessionRow;
  }
}

/** The error for a session that somebody else writes to. */
export function inUse(
  { name, ownerPid }: Pick<SessionRow, "name" | "ownerPid">,
  isOurs: boolean,
): ToolkeepError {
  const who = isOurs ? "this process has it open already" : `process ${ownerPid ?? "unknown"} has it open`;
  const what = `The session ${JSON.stringify(name)} is in use: ${who}`;
  return new ToolkeepError(
    "session_in_use",
    `${what}. Close it there, or wait until that process has ended.`,
  );
}
