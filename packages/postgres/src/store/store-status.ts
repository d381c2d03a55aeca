import type { Database } from "../database/database.ts";
import { STORE_RECORD } from "./session-rows.ts";

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

const STATUS = `WITH living AS MATERIALIZED (SELECT o.id FROM @.owners o WHERE @.is_living(o.id)),
    of_period AS (SELECT period, count(*)::int AS sessions FROM @.sessions WHERE name <> '${STORE_RECORD}' GROUP BY period)
  SELECT
    (SELECT max(version) FROM @.migrations) AS "schemaVersion",
    (SELECT count(*)::int FROM @.sessions WHERE name <> '${STORE_RECORD}') AS sessions,
    (SELECT count(*)::int FROM @.sessions WHERE owner IN (SELECT id FROM living)) AS "sessionsInUse",
    (SELECT count(*)::int FROM @.standing_events WHERE type = 'turn-start') AS "unfinishedTurns",
    (SELECT count(*)::int FROM @.requests) AS waiting,
    (SELECT min(asked_at) FROM @.requests) AS "oldestRequestAt",
    (SELECT coalesce(json_object_agg(key_id, n), '{}')
      FROM (SELECT key_id, count(*)::int AS n FROM @.pending GROUP BY key_id) k) AS "pendingArguments",
    (SELECT count(*)::int FROM @.inbox WHERE encrypted IS NOT NULL OR type = 'cancel') AS untaken,
    (SELECT count(*)::int FROM @.approvals) AS "projectApprovals",
    (SELECT count(DISTINCT sha256)::int FROM @.outputs) AS outputs,
    (SELECT coalesce(sum(o.bytes), 0)::float8 FROM (SELECT DISTINCT sha256, bytes FROM @.outputs) o) AS "outputBytes",
    (SELECT count(*)::int FROM @.released_outputs) AS "releasedOutputs",
    (SELECT coalesce(json_agg(json_build_object('period', period, 'sessions', sessions, 'bytes',
        coalesce(pg_total_relation_size(to_regclass(format('@.batches_%s', period))), 0)) ORDER BY period), '[]')
      FROM of_period) AS periods,
    (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r') AS bytes`;

export async function readStatus(database: Database): Promise<PostgresStatus> {
  type Row = Omit<PostgresStatus, "oldestRequestAt"> & { readonly oldestRequestAt: number | null };
  const [row] = await database.query<Row>(STATUS, [database.schema]);
  const { oldestRequestAt, ...status } = row as Row;
  return oldestRequestAt === null ? status : { ...status, oldestRequestAt };
}
