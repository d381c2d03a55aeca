import { ToolkeepError } from "@toolkeep/core";
import { CHAIN_START, type OpenJournalOptions } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import { CLAIM, EPOCHS, RELEASE, REMOVE_EMPTY, STATE } from "./claim-queries.ts";
import type { Owner } from "./owner.ts";
import { markOf } from "./session-mark.ts";
import { type RawSessionRow, type SessionRow, toSession } from "./session-rows.ts";
import type { SessionIdentity, SessionWrite } from "./session-write.ts";

interface ClaimRow extends RawSessionRow {
  readonly verdict: "claimed" | "in_use" | "turn_unknown";
  readonly other: string | null;
}

/** What a session is like after a write whose outcome is not known. */
interface WrittenState {
  readonly epoch: string;
  readonly head: string;
  readonly news: string;
  /** The hash of the batch in the place of the write. */
  readonly hash: string | null;
}

/** Decides which process may write to a session: one at a time, as long as it runs and reacts. */
export class Claims {
  readonly #database: Database;
  readonly #owner: Owner;

  constructor(database: Database, owner: Owner) {
    this.#database = database;
    this.#owner = owner;
  }

  /**
   * Takes the lease of a session, and creates the session if it does not exist.
   * @throws ToolkeepError `session_in_use` while its owner runs, `turn_unknown` if `unfinishedTurn` is finished.
   */
  async claim(name: string, { unfinishedTurn, steal = false }: OpenJournalOptions): Promise<SessionRow> {
    const { channel } = this.#database;
    const mark = markOf(name);
    const values = [
      name,
      this.#owner.id,
      steal,
      unfinishedTurn ?? null,
      CHAIN_START,
      Date.now(),
      channel,
      mark,
    ];
    const [row] = await this.#database.query<ClaimRow>(CLAIM, values);
    if (row === undefined || row.verdict === "in_use") throw inUse(name, `${row?.other} has it open`);
    if (row.verdict === "claimed") return toSession(row);
    const turn = JSON.stringify(unfinishedTurn);
    const message = `The session ${JSON.stringify(name)} has no unfinished turn ${turn}.`;
    throw new ToolkeepError("turn_unknown", message);
  }

  /** `undefined` for a session that was removed. */
  async stateAfter({ session, firstSeq }: SessionWrite): Promise<WrittenState | undefined> {
    return (await this.#database.query<WrittenState>(STATE, [session.id, firstSeq]))[0];
  }

  /** Gives a lease back that could not be given back with a commit. Removes a session without events. */
  async drop({ id, epoch }: SessionRow): Promise<void> {
    await this.#database.query(RELEASE, [id, this.#owner.id, epoch]);
    await this.#database.query(REMOVE_EMPTY, [id]);
  }

  /** The epochs of sessions, by their row. */
  async epochsOf(sessions: readonly SessionIdentity[]): Promise<ReadonlyMap<string, string>> {
    type Row = Pick<SessionRow, "id" | "epoch">;
    const rows = await this.#database.query<Row>(EPOCHS, [sessions.map(({ id }) => id)]);
    return new Map(rows.map(({ id, epoch }) => [id, epoch]));
  }
}

/** The error for a session that another writer has. */
export function inUse(name: string, who: string): ToolkeepError {
  return new ToolkeepError(
    "session_in_use",
    `The session ${JSON.stringify(name)} is in use: ${who}. Call \`leave()\` or \`close()\` on it there and try again; it is also free when that process ends.`,
  );
}
