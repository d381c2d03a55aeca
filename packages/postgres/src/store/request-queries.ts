import { REQUEST_LASTS_MS } from "@toolkeep/core/internal";
import { IS_SUBAGENT } from "./subagent-sessions.ts";

/** Until when a request can be answered, where it does not say so itself. */
const EXPIRY = `coalesce(r.expires_at, r.asked_at + ${REQUEST_LASTS_MS})`;

/**
 * Whether a row is what its session recorded: the line of the event, in a batch that has its hash. The line says all
 * that the row does, but for what the request says itself.
 */
const IS_RECORDED = `EXISTS (
    SELECT FROM @.sessions s
      JOIN @.standing_events e ON e.session = s.id AND e.key = r.key AND e.seq = r.seq
      JOIN @.batches b ON b.session = s.id AND b.period = s.period AND b.first_seq = e.first_seq
    WHERE s.id = r.session AND s.name = r.name AND e.type IN ('approval-request', 'question-request')
      AND b.hash = encode(pg_catalog.sha256(b.bytes), 'hex')
      AND CASE WHEN position(convert_to(
          '{"seq":' || r.seq || ',"at":' || r.asked_at || ',"turn":' || to_json(split_part(r.key, '/', 1))
          || ',"type":"' || e.type || '","id":' || to_json(substr(r.key, strpos(r.key, '/') + 1))
          || ',"request":' || r.request || E'}\\n', 'UTF8') IN b.bytes) = 0 THEN false
        ELSE r.id = (r.request::json ->> 'id') AND r.needs = ((r.request::json -> 'needs') IS NOT NULL)
          AND r.name = coalesce(r.request::json ->> 'sessionId', r.name)
          AND r.expires_at IS NOT DISTINCT FROM (r.request::json ->> 'expiresAt')::double precision END)`;

const LISTED = `SELECT r.name AS "sessionId", r.asked_at AS "askedAt", ${EXPIRY} AS "expiresAt", r.request
    FROM @.requests r WHERE`;
const OLDEST_FIRST = `AND ${IS_RECORDED} ORDER BY r.asked_at, r.session, r.seq`;

/** One of several signatures does not answer a request. What was answered is looked up once for all requests. */
export const WAITING = `${LISTED} ($1::text IS NULL OR r.name = $1) AND ${EXPIRY} > $2
      AND (r.needs OR (r.name, r.id) NOT IN (
        SELECT i.name, i.request FROM @.inbox i
        WHERE i.type = 'answer' AND i.request IS NOT NULL AND i.encrypted IS NOT NULL
          AND ($1::text IS NULL OR i.name = $1)))
      ${OLDEST_FIRST} LIMIT $3`;

/** In two parts, each with an index. */
export const EXPIRED = `${LISTED}
      (r.expires_at <= $1 OR r.expires_at IS NULL AND r.asked_at <= $1 - ${REQUEST_LASTS_MS}) ${OLDEST_FIRST} LIMIT $2`;

/** Rows that no session recorded like this, with what the session recorded under their key. */
export const CHANGED = `SELECT r.name AS "sessionId", r.id, s.id::text AS session, s.name, s.period, e.type, e.key,
      e.seq::int8 AS seq, e.first_seq AS "firstSeq"
    FROM @.requests r
      LEFT JOIN @.sessions s ON s.id = r.session
      LEFT JOIN @.standing_events e ON e.session = s.id AND e.key = r.key AND e.type LIKE '%-request'
    WHERE ($1::text IS NULL OR r.name = $1) AND NOT ${IS_RECORDED} ORDER BY r.asked_at, r.session, r.seq`;

/** One request, and whether its session recorded it like this. */
export const STATE = `SELECT r.request, r.asked_at AS "askedAt", ${IS_RECORDED} AS "isRecorded"
    FROM @.requests r WHERE r.name = $1 AND r.id = $2`;

/**
 * Turns of subagents are left out: only their parents can resume them. A turn that waits for requests which are all still
 * open is left out too, until something was sent to its session. A request of another session has the name of that before
 * its key, between slashes; it is open until something was sent there.
 */
export const UNFINISHED = `WITH living AS MATERIALIZED (SELECT o.id FROM @.owners o WHERE @.is_living(o.id))
    SELECT s.name AS "sessionId", e.key AS turn
    FROM @.standing_events e JOIN @.sessions s ON s.id = e.session
    WHERE e.type = 'turn-start' AND (s.owner IS NULL OR s.owner NOT IN (SELECT l.id FROM living l))
      AND (
        NOT EXISTS (
          SELECT FROM @.standing_events p WHERE p.session = e.session AND p.type = 'turn-park' AND p.key = e.key
            AND cardinality(p.waiting) = (
              SELECT count(*) FROM @.requests r WHERE r.session = e.session AND r.key = ANY (p.waiting)) + (
              SELECT count(*) FROM unnest(p.waiting) w (key)
                JOIN @.sessions c ON w.key LIKE '/%' AND c.name = split_part(w.key, '/', 2)
                JOIN @.requests r ON r.session = c.id AND r.key = substr(w.key, length(c.name) + 3)
              WHERE NOT EXISTS (
                SELECT FROM @.inbox i WHERE i.name = c.name AND (i.encrypted IS NOT NULL OR i.type = 'cancel'))))
        OR EXISTS (
          SELECT FROM @.inbox i WHERE i.name = s.name AND (i.encrypted IS NOT NULL OR i.type = 'cancel')))
      AND NOT ${IS_SUBAGENT}
    ORDER BY e.session, e.seq LIMIT $1`;

/** Asks the owners of unfinished turns whether they react. One that does not loses its sessions after its term. */
export const ASK = `SELECT @.ask_owner(o.id, $2) FROM @.owners o
    WHERE o.id <> $1 AND EXISTS (
      SELECT FROM @.sessions s JOIN @.standing_events e ON e.session = s.id AND e.type = 'turn-start'
      WHERE s.owner = o.id)`;
