import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ToolkeepError } from "@toolkeep/core";
import { CHAIN_START, type OpenJournalOptions } from "@toolkeep/core/journal";
import { inTransaction } from "./database.ts";
import type { Owner } from "./owner.ts";
import type { SessionRow, SessionRows } from "./session-rows.ts";

/** Decides which process may write to a session: one at a time, as long as it runs. */
export class Leases {
  readonly #db: DatabaseSync;
  readonly #sessions: SessionRows;
  readonly #owner: Owner;
  readonly #insert: StatementSync;
  readonly #take: StatementSync;
  readonly #holder: StatementSync;
  readonly #give: StatementSync;
  readonly #removeEmpty: StatementSync;

  constructor(db: DatabaseSync, sessions: SessionRows, owner: Owner) {
    this.#db = db;
    this.#sessions = sessions;
    this.#owner = owner;
    this.#insert = db.prepare("INSERT INTO sessions (name, opened_at, active_at, head) VALUES (?, ?, ?, ?)");
    this.#take = db.prepare("UPDATE sessions SET owner = ?, owner_pid = ?, epoch = ? WHERE id = ?");
    this.#holder = db.prepare("SELECT epoch FROM sessions WHERE id = ?");
    this.#give = db.prepare(
      "UPDATE sessions SET owner = NULL, owner_pid = NULL WHERE id = ? AND owner = ? AND epoch = ?",
    );
    this.#removeEmpty = db.prepare("DELETE FROM sessions WHERE id = ? AND next_seq = 0 AND owner IS NULL");
  }

  /** Names this store as an owner. */
  get token(): string {
    return this.#owner.token;
  }

  /**
   * Takes the lease of a session, and creates the session if it does not exist.
   * @throws ToolkeepError `session_in_use` while its owner runs, `turn_unknown` if `unfinishedTurn` is finished.
   */
  claim(name: string, { unfinishedTurn, steal = false }: OpenJournalOptions = {}): SessionRow {
    this.#owner.appear();
    return inTransaction(this.#db, () => {
      const found = this.#sessions.byName(name) ?? this.#created(name);
      if (!steal && this.isHeld(found)) throw inUse(found, found.owner === this.token);
      if (unfinishedTurn !== undefined && !this.#isUnfinished(found.id, unfinishedTurn))
        throw new ToolkeepError(
          "turn_unknown",
          `The session ${JSON.stringify(name)} has no unfinished turn ${JSON.stringify(unfinishedTurn)}.`,
        );
      const epoch = found.epoch + 1;
      this.#take.run(this.token, process.pid, epoch, found.id);
      return { ...found, owner: this.token, epoch };
    });
  }

  /** Gives the lease back. Removes a session without events. */
  release({ id, epoch }: Pick<SessionRow, "id" | "epoch">): void {
    this.#give.run(id, this.token, epoch);
    this.#removeEmpty.run(id);
  }

  isHeld({ owner }: Pick<SessionRow, "owner">): boolean {
    return owner !== null && this.#owner.isAlive(owner);
  }

  /** Why a session that this store opened is no longer its own, if it is not. */
  lostTo({ id, name, epoch }: Pick<SessionRow, "id" | "name" | "epoch">): ToolkeepError | undefined {
    const holder = this.#holder.get(id) as Pick<SessionRow, "epoch"> | undefined;
    return holder?.epoch === epoch ? undefined : takenOver(name);
  }

  #isUnfinished(session: number, turn: string): boolean {
    return this.#sessions
      .standingEvents(session)
      .some(({ type, key }) => type === "turn-start" && key === turn);
  }

  #created(name: string): SessionRow {
    const now = Date.now();
    this.#insert.run(name, now, now, CHAIN_START);
    return this.#sessions.byName(name) as SessionRow;
  }
}

/** The error for a writer whose session another owner opened. */
export function takenOver(name: string): ToolkeepError {
  const message = `The session ${JSON.stringify(name)} was taken over by another owner. Nothing more is written here.`;
  return new ToolkeepError("session_lost", message);
}

/** The error for a session that another writer has. */
export function inUse(
  { name, ownerPid }: Pick<SessionRow, "name" | "ownerPid">,
  isOurs: boolean,
): ToolkeepError {
  const who = isOurs ? "this process has it open already" : `process ${ownerPid ?? "unknown"} has it open`;
  const what = `The session ${JSON.stringify(name)} is in use: ${who}`;
  return new ToolkeepError(
    "session_in_use",
    `${what}. Call \`leave()\` or \`close()\` on it there and try again; it is also free when that process ends.`,
  );
}
