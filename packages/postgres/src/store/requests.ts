import { type PersonRequest, ToolkeepError, type WaitingRequest } from "@toolkeep/core";
import { assertAnswer, expiryOf, REQUEST_LASTS_MS, refusedAnswer } from "@toolkeep/core/internal";
import type { ChangedRequest, RequestRef, UnfinishedTurn, WaitingQuery } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import type { Owner } from "./owner.ts";
import { EventReader } from "./read-events.ts";
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

/** Requests, oldest first. */
function listOf(where: string, limit: string): string {
  return `SELECT r.name AS "sessionId", r.asked_at AS "askedAt", ${EXPIRY} AS "expiresAt", r.request
    FROM @.requests r WHERE ${where} AND ${IS_RECORDED} ORDER BY r.asked_at, r.session, r.seq LIMIT ${limit}`;
}

interface RequestText {
  readonly sessionId: string;
  readonly askedAt: number;
  readonly expiresAt: number;
  /** As JSON. */
  readonly request: string;
}

/** One of several signatures does not answer a request. What was answered is looked up once for all requests. */
const WAITING = listOf(
  `($1::text IS NULL OR r.name = $1) AND ${EXPIRY} > $2
      AND (r.needs OR (r.name, r.id) NOT IN (
        SELECT i.name, i.request FROM @.inbox i
        WHERE i.type = 'answer' AND i.request IS NOT NULL AND i.encrypted IS NOT NULL
          AND ($1::text IS NULL OR i.name = $1)))`,
  "$3",
);

/** In two parts, each with an index. */
const EXPIRED = listOf(
  `(r.expires_at <= $1 OR r.expires_at IS NULL AND r.asked_at <= $1 - ${REQUEST_LASTS_MS})`,
  "$2",
);

/** Rows that no session recorded like this, with what the session recorded under their key. */
const CHANGED = `SELECT r.name AS "sessionId", r.id, s.id::text AS session, s.name, s.period, e.type, e.key,
      e.seq::int8 AS seq, e.first_seq AS "firstSeq"
    FROM @.requests r
      LEFT JOIN @.sessions s ON s.id = r.session
      LEFT JOIN @.standing_events e ON e.session = s.id AND e.key = r.key AND e.type LIKE '%-request'
    WHERE ($1::text IS NULL OR r.name = $1) AND NOT ${IS_RECORDED} ORDER BY r.asked_at, r.session, r.seq`;

interface ChangedRow {
  readonly sessionId: string;
  readonly id: string;
  readonly session: string | null;
  readonly name: string;
  readonly period: number;
  readonly type: string | null;
  readonly key: string;
  readonly seq: string;
  readonly firstSeq: string;
}

const OTHER_REQUEST = "it is not the request that its session recorded";

const STATE = `SELECT r.request, r.asked_at AS "askedAt", ${IS_RECORDED} AS "isRecorded"
    FROM @.requests r WHERE r.name = $1 AND r.id = $2`;

/**
 * Turns of subagents are left out: only their parents can resume them. A turn that waits for requests which are all still
 * open is left out too, until something was sent to its session. A request of another session has the name of that before
 * its key, between slashes; it is open until something was sent there.
 */
const UNFINISHED = `WITH living AS MATERIALIZED (SELECT o.id FROM @.owners o WHERE @.is_living(o.id))
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
const ASK = `SELECT @.ask_owner(o.id, $2) FROM @.owners o
    WHERE o.id <> $1 AND EXISTS (
      SELECT FROM @.sessions s JOIN @.standing_events e ON e.session = s.id AND e.type = 'turn-start'
      WHERE s.owner = o.id)`;

/** Lists what waits for a person, and what can be resumed, over all sessions. */
export class Requests {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async waiting({
    sessionId = null,
    limit = null,
    onChanged,
  }: Nullable<Pick<WaitingQuery, "sessionId" | "limit">> & Pick<WaitingQuery, "onChanged"> = {}): Promise<
    readonly WaitingRequest[]
  > {
    if (onChanged !== undefined)
      for (const row of await this.#database.query<ChangedRow>(CHANGED, [sessionId]))
        onChanged(await this.#changed(row));
    return this.#list(WAITING, [sessionId, Date.now(), limit]);
  }

  async expired(now: number, limit: number): Promise<readonly WaitingRequest[]> {
    return this.#list(EXPIRED, [now, limit]);
  }

  /** @throws ToolkeepError `answer_refused` for what is no answer to this request. */
  async assertAnswer({ sessionId, id }: RequestRef, answer: unknown): Promise<void> {
    const found = await this.#find(sessionId, id);
    if (found?.isRecorded === false) throw refusedAnswer(id, OTHER_REQUEST);
    assertAnswer(
      id,
      answer,
      found && { askedAt: found.askedAt, request: JSON.parse(found.request) as PersonRequest },
    );
  }

  /** `gone` is also a request that was answered. */
  async state({ sessionId, id }: RequestRef): Promise<"open" | "expired" | "gone"> {
    const found = await this.#find(sessionId, id);
    if (found?.isRecorded !== true) return "gone";
    return expiryOf(JSON.parse(found.request) as PersonRequest, found.askedAt) > Date.now()
      ? "open"
      : "expired";
  }

  async unfinished(limit: number, { id }: Owner): Promise<readonly UnfinishedTurn[]> {
    await this.#database.query(ASK, [id, this.#database.channel]);
    return this.#database.query<UnfinishedTurn>(UNFINISHED, [limit]);
  }

  async #find(sessionId: string, id: string) {
    type Row = Pick<RequestText, "request" | "askedAt"> & { readonly isRecorded: boolean };
    const [found] = await this.#database.query<Row>(STATE, [sessionId, id]);
    return found;
  }

  async #changed({
    sessionId,
    id,
    session,
    type,
    seq,
    firstSeq,
    ...row
  }: ChangedRow): Promise<ChangedRequest> {
    const changed = { sessionId, id, reason: OTHER_REQUEST };
    if (session === null || type === null) return changed;
    const standing = { type, key: row.key, seq: Number(seq), firstSeq: Number(firstSeq) };
    try {
      const identity = { id: session, name: row.name, period: row.period };
      for await (const event of new EventReader(this.#database).standingEvents(identity, [standing]))
        if ("request" in event) return { ...changed, recorded: event.request };
    } catch (error) {
      if (!ToolkeepError.isInstance(error)) throw error;
    }
    return changed;
  }

  async #list(sql: string, values: readonly unknown[]): Promise<readonly WaitingRequest[]> {
    const rows = await this.#database.query<RequestText>(sql, values);
    return rows.map(listed);
  }
}

/** To parse ten thousand requests takes longer than to read them: each is parsed when it is looked at. */
function listed({ sessionId, askedAt, expiresAt, request: text }: RequestText): WaitingRequest {
  let parsed: PersonRequest | undefined;
  const parse = () => {
    parsed ??= JSON.parse(text) as PersonRequest;
    return parsed;
  };
  return {
    sessionId,
    askedAt,
    expiresAt,
    get request() {
      return parse();
    },
  };
}

type Nullable<Query> = { readonly [Key in keyof Query]: Query[Key] | null };
