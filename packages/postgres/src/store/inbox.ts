import { randomUUID } from "node:crypto";
import type { GivenAnswer } from "@toolkeep/core";
import { answerKey, giveEach, type InboxEntry } from "@toolkeep/core/internal";
import type { AnswerOptions, LeftAnswer, LeftMessage, Message, RequestRef } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import type { StoredEntry } from "./inbox-news.ts";
import { CONTENT, ENTRIES, SEND, TAKEN } from "./inbox-queries.ts";
import type { KeyRing } from "./key-ring.ts";
import { markOf } from "./session-mark.ts";

interface ContentRow {
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/** What other processes send to a session: answers, messages and cancellations. Their content is encrypted. */
export class Inbox {
  readonly #database: Database;
  readonly #keys: KeyRing;

  constructor(database: Database, keys: KeyRing) {
    this.#database = database;
    this.#keys = keys;
  }

  async answer(
    { sessionId, id }: RequestRef,
    answer: GivenAnswer,
    { key }: AnswerOptions = {},
  ): Promise<void> {
    const left: LeftAnswer = { sessionId, requestId: id, answer, ...(key === undefined ? {} : { key }) };
    await this.#send(sessionId, { type: "answer", key: answerKey(left), request: id }, JSON.stringify(left));
  }

  async send(sessionId: string, message: Message): Promise<void> {
    await this.#send(sessionId, { type: "message", key: randomUUID() }, JSON.stringify(message));
  }

  async cancel(sessionId: string, turn: string): Promise<void> {
    await this.#send(sessionId, { type: "cancel", key: turn });
  }

  entries(sessionId: string): Promise<readonly StoredEntry[]> {
    return this.#database.query<StoredEntry>(ENTRIES, [sessionId]);
  }

  /** As {@link SessionStore.takeAnswers}. */
  async takeAnswers(sessionId: string, give: (left: LeftAnswer) => Promise<boolean>): Promise<void> {
    await giveEach(await this.#contents(sessionId, "answer"), async (row) => {
      const isTaken = await give(JSON.parse(this.#textOf(sessionId, row)) as LeftAnswer);
      if (isTaken) await this.#database.query(TAKEN, [[row.id]]);
    });
  }

  /** As {@link SessionStore.takeMessages}. */
  async takeMessages(
    sessionId: string,
    give?: (left: LeftMessage) => Promise<boolean>,
  ): Promise<readonly Message[]> {
    const taken: { readonly id: string; readonly message: Message }[] = [];
    const giving = giveEach(await this.#contents(sessionId, "message"), async (row) => {
      const message = JSON.parse(this.#textOf(sessionId, row)) as Message;
      if ((await give?.({ id: row.key, message })) !== false) taken.push({ id: row.id, message });
    });
    // A message that was not given to a session is not lost: if one cannot be read, all of them stay.
    if (give === undefined) await giving;
    await giving.catch(() => undefined);
    if (taken.length > 0) await this.#database.query(TAKEN, [taken.map(({ id }) => id)]);
    await giving;
    return taken.map(({ message }) => message);
  }

  async #contents(sessionId: string, type: InboxEntry["type"]): Promise<readonly ContentRow[]> {
    return this.#database.query<ContentRow>(CONTENT, [sessionId, type]);
  }

  #textOf(sessionId: string, row: ContentRow): string {
    return this.#keys.decrypt(nameOf(sessionId, row.key), row);
  }

  async #send(
    sessionId: string,
    { type, key, request = null }: InboxEntry & { readonly request?: string | null },
    content?: string,
  ): Promise<void> {
    const encrypted = content === undefined ? undefined : this.#keys.encrypt(nameOf(sessionId, key), content);
    await this.#database.query(SEND, [
      ...[sessionId, type, key, request, encrypted?.keyId ?? null, encrypted?.bytes ?? null],
      ...[this.#database.channel, `news ${markOf(sessionId)}`],
    ]);
  }
}

/** What the content of an entry is bound to. */
export function nameOf(sessionId: string, key: string): string {
  return `inbox ${sessionId} ${key}`;
}
