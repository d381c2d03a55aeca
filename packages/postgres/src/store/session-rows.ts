import type { ToolkeepError } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import type { SessionIdentity } from "./session-write.ts";

/** Names the record of the store itself. No session can be opened under a name with a `/`. */
export const STORE_RECORD = "toolkeep/store";

/** The row of a session. */
export interface SessionRow extends SessionIdentity {
  readonly openedAt: number;
  readonly activeAt: number;
  readonly nextSeq: number;
  readonly lastTurn: number;
  readonly calls: number;
  readonly isClosed: boolean;
  readonly head: string;
  readonly owner: number | null;
  readonly epoch: string;
  readonly news: string;
}

/** The same as the driver gives it. */
export type RawSessionRow = Omit<SessionRow, "nextSeq" | "lastTurn" | "calls"> &
  Readonly<Record<"nextSeq" | "lastTurn" | "calls", string>>;

/** The columns of a session, of the row that `from` names. */
export function sessionColumns(from: string): string {
  return `${from}.id, ${from}.name, ${from}.period, ${from}.opened_at AS "openedAt", ${from}.active_at AS "activeAt",
    ${from}.next_seq AS "nextSeq", ${from}.last_turn AS "lastTurn", ${from}.calls, ${from}.is_closed AS "isClosed",
    ${from}.head, ${from}.owner, ${from}.epoch, ${from}.news`;
}

export const BY_NAME = `SELECT ${sessionColumns("s")} FROM @.sessions s WHERE s.name = $1`;

export function toSession(row: RawSessionRow): SessionRow {
  const { nextSeq, lastTurn, calls } = row;
  return { ...row, nextSeq: Number(nextSeq), lastTurn: Number(lastTurn), calls: Number(calls) };
}

/** Keys of raw arguments begin with the session id and a `/`. An id that contains one could match another session. */
export function assertSessionId(sessionId: string): void {
  if (sessionId !== "" && !sessionId.includes("/") && !sessionId.includes("\0")) return;
  const reason =
    sessionId === ""
      ? "The session id is empty."
      : "The id of a session must not contain a `/` or a null character.";
  throw invalidOption(reason);
}

/** The error for a session that does not exist. */
export function noSession(sessionId: string): ToolkeepError {
  return invalidOption(`There is no session ${JSON.stringify(sessionId)} in the store.`);
}
