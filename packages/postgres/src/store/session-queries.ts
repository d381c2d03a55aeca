import { REQUEST_LASTS_MS } from "@toolkeep/core/internal";
import { STORE_RECORD } from "./session-rows.ts";

export const LISTED = `WITH living AS MATERIALIZED (SELECT o.id FROM @.owners o WHERE @.is_living(o.id)), listed AS (
      SELECT s.name AS "sessionId", s.opened_at AS "openedAt", s.active_at AS "activeAt", s.calls::float8 AS calls,
        CASE WHEN EXISTS (SELECT FROM @.standing_events e WHERE e.session = s.id AND e.type = 'turn-park') THEN 'parked'
          WHEN s.is_closed THEN 'closed' ELSE 'open' END AS state,
        coalesce(s.owner IN (SELECT l.id FROM living l), false) AS "isInUse", s.id
      FROM @.sessions s WHERE s.next_seq > 0 AND s.name <> '${STORE_RECORD}'
    )
    SELECT l."sessionId", l."openedAt", l."activeAt", l.calls, l.state, l."isInUse",
      ARRAY(SELECT e.key FROM @.standing_events e WHERE e.session = l.id AND e.type = 'turn-start' ORDER BY e.seq)
        AS "unfinishedTurns",
      ARRAY(SELECT r.id FROM @.requests r WHERE r.session = l.id ORDER BY r.seq) AS waiting
    FROM listed l WHERE $1::text IS NULL OR l.state = $1
    ORDER BY l."activeAt" DESC, l.id DESC LIMIT $2`;

export const STATUS = `WITH living AS MATERIALIZED (SELECT o.id FROM @.owners o WHERE @.is_living(o.id)),
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

/** What is read of a session when it is opened, in one round trip. */
export const LEFT = `SELECT
    ARRAY(SELECT p.key FROM @.pending p WHERE p.name = $2) AS pending,
    (SELECT coalesce(json_agg(json_build_object('id', i.id::text, 'type', i.type, 'key', i.key) ORDER BY i.id), '[]')
      FROM @.inbox i WHERE i.name = $2 AND (i.encrypted IS NOT NULL OR i.type = 'cancel')) AS inbox,
    (SELECT coalesce(json_agg(json_build_object(
        'type', e.type, 'key', e.key, 'seq', e.seq, 'firstSeq', e.first_seq) ORDER BY e.seq), '[]')
      FROM @.standing_events e WHERE e.session = $1) AS standing,
    (SELECT coalesce(json_agg(json_build_object('key', r.key, 'call', r.request::json ->> 'callId')), '[]')
      FROM @.requests r WHERE r.session = $1) AS asked`;

export const INDEX = `SELECT
    (SELECT coalesce(json_agg(json_build_array(e.type, e.key, e.seq, e.first_seq)), '[]')
      FROM @.standing_events e WHERE e.session = $1) AS standing,
    (SELECT coalesce(json_agg(json_build_array(r.key, r.seq, r.asked_at, r.expires_at, r.request)), '[]')
      FROM @.requests r WHERE r.session = $1) AS requests,
    (SELECT coalesce(json_agg(json_build_array(t.turn, t.first_seq)), '[]') FROM @.turns t WHERE t.session = $1) AS turns`;

const IN_TIME = `coalesce(r.expires_at, r.asked_at + ${REQUEST_LASTS_MS}) > $3`;

const ELSEWHERE = `SELECT FROM unnest(p.waiting) w (key)
          JOIN @.sessions c ON w.key LIKE '/%' AND c.name = split_part(w.key, '/', 2)
          JOIN @.requests r ON r.session = c.id AND r.key = substr(w.key, length(c.name) + 3)`;

/**
 * A session stays while it waits for an answer that can still come, here or in the session of a subagent. So does one
 * that was answered and may yet be resumed.
 */
export const OLD = `SELECT s.name, s.period FROM @.sessions s
    WHERE s.active_at < $1 AND s.name <> '${STORE_RECORD}' AND (s.owner IS NULL OR NOT @.is_living(s.owner))
      AND NOT EXISTS (SELECT FROM @.requests r WHERE r.session = s.id AND ${IN_TIME})
      AND NOT EXISTS (
        SELECT FROM @.standing_events p WHERE p.session = s.id AND p.type = 'turn-park' AND (
          EXISTS (${ELSEWHERE} WHERE ${IN_TIME})
          OR s.active_at > $3 - ${REQUEST_LASTS_MS} AND NOT EXISTS (SELECT FROM @.requests r WHERE r.session = s.id)
            AND NOT EXISTS (${ELSEWHERE})))
    ORDER BY s.active_at, s.id LIMIT $2`;

/** Months before this one, with the number of their sessions. */
export const PERIODS = `SELECT s.period, count(*)::int AS sessions FROM @.sessions s
    WHERE s.period < to_char(now() AT TIME ZONE 'UTC', 'YYYYMM')::int
      AND to_regclass(format('@.batches_%s', s.period)) IS NOT NULL
    GROUP BY s.period`;
