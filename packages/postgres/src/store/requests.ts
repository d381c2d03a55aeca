import type { PersonRequest, WaitingRequest } from "@toolkeep/core";
import type { UnfinishedTurn, WaitingQuery } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import type { Owner } from "./owner.ts";
import { IS_SUBAGENT } from "./subagent-sessions.ts";

/** Requests, oldest first. */
function listOf(where: string, limit: string): string {
  return `SELECT r.name AS "sessionId", r.asked_at AS "askedAt", r.expires_at AS "expiresAt", r.request
    FROM @.requests r WHERE ${where} ORDER BY r.asked_at, r.session, r.seq LIMIT ${limit}`;
}

interface RequestText {
  readonly sessionId: string;
  readonly askedAt: number;
  readonly expiresAt: number | null;
  /** As JSON. */
  readonly request: string;
}

/** One of several signatures does not answer a request. What was answered is looked up once for all requests. */
const WAITING = listOf(
  `($1::text IS NULL OR r.name = $1) AND (r.expires_at IS NULL OR r.expires_at > $2)
      AND (r.needs OR (r.name, r.id) NOT IN (
        SELECT i.name, i.request FROM @.inbox i
        WHERE i.type = 'answer' AND i.request IS NOT NULL AND i.encrypted IS NOT NULL
          AND ($1::text IS NULL OR i.name = $1)))`,
  "$3",
);

const EXPIRED = listOf("r.expires_at <= $1", "$2");

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
  }: Nullable<WaitingQuery> = {}): Promise<readonly WaitingRequest[]> {
    return this.#list(WAITING, [sessionId, Date.now(), limit]);
  }

  async expired(now: number, limit: number): Promise<readonly WaitingRequest[]> {
    return this.#list(EXPIRED, [now, limit]);
  }

  async unfinished(limit: number, { id }: Owner): Promise<readonly UnfinishedTurn[]> {
    await this.#database.query(ASK, [id, this.#database.channel]);
    return this.#database.query<UnfinishedTurn>(UNFINISHED, [limit]);
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
  if (expiresAt === null)
    return {
      sessionId,
      askedAt,
      get request() {
        return parse();
      },
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
