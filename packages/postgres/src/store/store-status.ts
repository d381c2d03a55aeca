import type { Database } from "../database/database.ts";
import { STATUS } from "./session-queries.ts";

/** What a database holds. Times are milliseconds since the epoch. */
export interface PostgresStatus {
  /** The version of the schema. */
  readonly schemaVersion: number;
  readonly sessions: number;
  readonly sessionsInUse: number;
  /** Turns that began and are not finished. */
  readonly unfinishedTurns: number;
  /** Requests that wait for an answer. */
  readonly waiting: number;
  readonly oldestRequestAt?: number;
  /** Raw arguments of calls that are not settled, by the key they are encrypted with. */
  readonly pendingArguments: Readonly<Record<string, number>>;
  /** Answers, messages and cancellations that no session has taken. */
  readonly untaken: number;
  readonly projectApprovals: number;
  /** Large outputs that sessions refer to, and how many bytes they have. Their bytes are not in the database. */
  readonly outputs: number;
  readonly outputBytes: number;
  /** Outputs that no session may refer to any more, and that were not removed yet. */
  readonly releasedOutputs: number;
  /** The months whose sessions it has, and the bytes on disk of their events. */
  readonly periods: readonly { readonly period: number; readonly sessions: number; readonly bytes: number }[];
  /** The bytes on disk of everything in the schema. */
  readonly bytes: number;
}

export async function readStatus(database: Database): Promise<PostgresStatus> {
  type Row = Omit<PostgresStatus, "oldestRequestAt"> & { readonly oldestRequestAt: number | null };
  const [row] = await database.query<Row>(STATUS, [database.schema]);
  const { oldestRequestAt, ...status } = row as Row;
  return oldestRequestAt === null ? status : { ...status, oldestRequestAt };
}
