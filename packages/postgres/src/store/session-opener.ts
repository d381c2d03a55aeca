import { brokenAt } from "@toolkeep/core/internal";
import {
  type JournalBatch,
  type OpenJournalOptions,
  type StandingEvent,
  StandingEvents,
} from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import type { Claims } from "./claims.ts";
import type { GroupWriter } from "./group-writer.ts";
import type { Inbox } from "./inbox.ts";
import { InboxNews, type StoredEntry } from "./inbox-news.ts";
import { KeptArguments } from "./kept-arguments.ts";
import type { KeyRing } from "./key-ring.ts";
import { PostgresJournal } from "./postgres-journal.ts";
import { EventReader } from "./read-events.ts";
import { LEFT } from "./session-queries.ts";
import { assertSessionId, type SessionRow } from "./session-rows.ts";
import { isRequestType } from "./session-write.ts";
import type { OpenSession } from "./stored-pending.ts";

interface Left {
  readonly pending: readonly string[];
  readonly inbox: readonly StoredEntry[];
  readonly standing: readonly StandingEvent[];
  readonly asked: readonly { readonly key: string; readonly call: string }[];
}

interface OpenerParts {
  readonly database: Database;
  readonly claims: Claims;
  readonly writer: GroupWriter;
  readonly inbox: Inbox;
  readonly keys: KeyRing;
  onEnd(session: OpenSession): void;
}

/** Opens journals: takes the lease, and restores what the journal needs to know. */
export class SessionOpener {
  readonly #parts: OpenerParts;
  readonly #reader: EventReader;

  constructor(parts: OpenerParts) {
    this.#parts = parts;
    this.#reader = new EventReader(parts.database);
  }

  async open(name: string, options: OpenJournalOptions): Promise<OpenSession> {
    assertSessionId(name);
    const { claims } = this.#parts;
    const session = await claims.claim(name, options);
    try {
      return await this.#restored(session);
    } catch (error) {
      await claims.drop(session);
      throw error;
    }
  }

  async #restored(session: SessionRow): Promise<OpenSession> {
    const { database, keys, inbox, ...parts } = this.#parts;
    const [[left], last] = await Promise.all([
      database.query<Left>(LEFT, [session.id, session.name]),
      session.nextSeq === 0 ? undefined : this.#reader.batches.last(session, session.nextSeq),
    ]);
    await this.#assertEnd(session, last);
    const { pending, inbox: entries, standing, asked } = left as Left;
    const kept = new KeptArguments(keys, pending);
    const unfinished = standing.filter(({ type }) => type === "turn-start").map(({ key }) => key);
    kept.keepOnly(`${session.name}/`, new Set(unfinished));
    const news = new InboxNews(entries, () => inbox.entries(session.name));
    const journal: PostgresJournal = new PostgresJournal(session, {
      ...{ claims: parts.claims, writer: parts.writer, reader: this.#reader, kept, news },
      standing: restored(standing, asked),
      onEnd: () => parts.onEnd(opened),
    });
    const opened: OpenSession = { journal, kept };
    return opened;
  }

  /** The end of the session, where it is continued, must be what was written. */
  async #assertEnd(session: SessionRow, last: JournalBatch | undefined): Promise<void> {
    if (session.nextSeq === 0) return;
    const isEnd =
      last !== undefined && last.firstSeq + last.events === session.nextSeq && last.hash === session.head;
    if (!isEnd) throw brokenAt(session.name, session.nextSeq, "its end is missing");
    const reason = await this.#reader.bytesError(session, last);
    if (reason !== undefined) throw brokenAt(session.name, last.firstSeq, reason);
  }
}

function restored(rows: readonly StandingEvent[], asked: Left["asked"]): StandingEvents {
  const standing = new StandingEvents();
  const calls = new Map(asked.map(({ key, call }) => [key, call]));
  for (const row of rows) {
    standing.restore(row);
    const call = isRequestType(row.type) ? calls.get(row.key) : undefined;
    if (call !== undefined) standing.restoreRequest(turnOf(row.key), call, row);
  }
  return standing;
}

/** The key of a request is its turn and its id within that. Ids of requests begin with that of a call, and may contain a `/`. */
function turnOf(key: string): string {
  return key.slice(0, key.indexOf("/"));
}
