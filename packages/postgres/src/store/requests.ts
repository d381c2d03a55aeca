import { type PersonRequest, ToolkeepError, type WaitingRequest } from "@toolkeep/core";
import { assertAnswer, expiryOf, refusedAnswer } from "@toolkeep/core/internal";
import type { ChangedRequest, RequestRef, UnfinishedTurn, WaitingQuery } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import type { Owner } from "./owner.ts";
import { EventReader } from "./read-events.ts";
import { ASK, CHANGED, EXPIRED, STATE, UNFINISHED, WAITING } from "./request-queries.ts";

interface RequestText {
  readonly sessionId: string;
  readonly askedAt: number;
  readonly expiresAt: number;
  /** As JSON. */
  readonly request: string;
}

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
