import { hash, randomUUID } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { GivenAnswer } from "@toolkeep/core";
import { answerKey, giveEach, type InboxEntry, isNamed, newsOf, unlessThrown } from "@toolkeep/core/internal";
import type {
  AnswerOptions,
  LeftAnswer,
  LeftMessage,
  Message,
  RequestRef,
  StoreNews,
} from "@toolkeep/core/journal";
import { inTransaction } from "./database.ts";
import type { FilePending } from "./file-pending.ts";

interface Entry extends InboxEntry {
  readonly id: number;
  readonly file: string | null;
}

/**
 * What other processes send to a session: answers, messages and cancellations. The database has their order; their
 * content, which may hold secrets, is in files that can be wiped.
 */
export class Inbox {
  readonly #db: DatabaseSync;
  readonly #files: FilePending;
  readonly #insert: StatementSync;
  readonly #of: StatementSync;
  readonly #answers: StatementSync;
  readonly #after: StatementSync;
  readonly #remove: StatementSync;
  readonly #markTaken: StatementSync;
  readonly #forget: StatementSync;

  constructor(db: DatabaseSync, files: FilePending) {
    this.#db = db;
    this.#files = files;
    this.#insert = db.prepare("INSERT OR IGNORE INTO inbox (session, type, key, file) VALUES (?, ?, ?, ?)");
    this.#of = db.prepare(
      "SELECT id, type, key, file FROM inbox WHERE session = ? AND type = ? AND file IS NOT NULL ORDER BY id",
    );
    this.#answers = db.prepare(
      "SELECT session, file FROM inbox WHERE type = 'answer' AND file IS NOT NULL ORDER BY id",
    );
    this.#after = db.prepare(
      `SELECT id, type, key, file FROM inbox
       WHERE session = ? AND id > ? AND (file IS NOT NULL OR type = 'cancel') ORDER BY id`,
    );
    this.#remove = db.prepare("DELETE FROM inbox WHERE id = ?");
    this.#markTaken = db.prepare("UPDATE inbox SET file = NULL WHERE id = ?");
    this.#forget = db.prepare("DELETE FROM inbox WHERE session = ?");
  }

  answer({ sessionId, id }: RequestRef, answer: GivenAnswer, { key }: AnswerOptions = {}): void {
    const left: LeftAnswer = { sessionId, requestId: id, answer, ...(key === undefined ? {} : { key }) };
    this.#send(sessionId, "answer", answerKey(left), left);
  }

  send(sessionId: string, message: Message): void {
    this.#send(sessionId, "message", randomUUID(), message);
  }

  close(): void {
    this.#files.close();
  }

  cancel(sessionId: string, turn: string): void {
    inTransaction(this.#db, () => this.#insert.run(sessionId, "cancel", turn, null));
  }

  /** Whether an answer to a request was left and not taken yet, as of now. */
  answered(): (request: RequestRef) => boolean {
    const left = this.#answers.all() as unknown as readonly (Pick<Entry, "file"> & { session: string })[];
    const answered = new Set(
      left.map((entry) => {
        const { requestId } = (this.#contentOf(entry) ?? {}) as Partial<LeftAnswer>;
        return JSON.stringify([entry.session, requestId]);
      }),
    );
    return ({ sessionId, id }) => answered.has(JSON.stringify([sessionId, id]));
  }

  /** As {@link SessionStore.takeAnswers}. */
  async takeAnswers(sessionId: string, give: (left: LeftAnswer) => Promise<boolean>): Promise<void> {
    await this.#take<LeftAnswer>(sessionId, "answer", (left) => give(left));
  }

  /** As {@link SessionStore.takeMessages}. */
  takeMessages(
    sessionId: string,
    give: (left: LeftMessage) => Promise<boolean> = async () => true,
  ): Promise<readonly Message[]> {
    return this.#take<Message>(sessionId, "message", (message, id) => give({ id, message }));
  }

  async #take<Content>(
    sessionId: string,
    type: Entry["type"],
    give: (content: Content, key: string) => Promise<boolean>,
  ): Promise<readonly Content[]> {
    const taken: Content[] = [];
    await giveEach(this.#of.all(sessionId, type) as unknown as readonly Entry[], async (entry) => {
      const content = this.#contentOf(entry) as Content | undefined;
      if (content !== undefined && !(await give(content, entry.key))) return;
      this.#taken(entry);
      if (content !== undefined) taken.push(content);
    });
    return taken;
  }

  /** What arrived for a session after an entry, and the latest entry. */
  newsAfter(
    sessionId: string,
    entry: number,
  ): { readonly news: readonly StoreNews[]; readonly latest: number } {
    const entries = this.#after.all(sessionId, entry) as unknown as readonly Entry[];
    return { news: newsOf(entries), latest: entries.at(-1)?.id ?? entry };
  }

  hasNews(sessionId: string): boolean {
    return this.#after.get(sessionId, 0) !== undefined;
  }

  forget(sessionId: string): void {
    this.#forget.run(sessionId);
    this.#files.keepOnly(folderOf(sessionId));
  }

  #send(sessionId: string, type: Entry["type"], key: string, content: object): void {
    const file = `${folderOf(sessionId)}/${randomUUID()}`;
    this.#files.put(file, JSON.stringify(content));
    let isNew = false;
    try {
      // The entry comes after its file: what the database has can be read.
      isNew = inTransaction(this.#db, () => this.#insert.run(sessionId, type, key, file).changes > 0);
    } finally {
      if (!isNew) this.#files.delete(file);
    }
  }

  /** `undefined` for content that is gone or cannot be read. */
  #contentOf({ file }: Pick<Entry, "file">): unknown {
    const text = file === null ? undefined : this.#files.get(file);
    return unlessThrown(() => (text === undefined ? undefined : JSON.parse(text)));
  }

  /** A named answer stays as an entry without content, so that sending it again changes nothing. */
  #taken({ id, key, file }: Entry): void {
    if (file !== null) this.#files.delete(file);
    if (isNamed(key)) this.#markTaken.run(id);
    else this.#remove.run(id);
  }
}

/** Any text can be the id of a session; as a hash, no id is the beginning of another. */
function folderOf(sessionId: string): string {
  return hash("sha256", sessionId);
}
