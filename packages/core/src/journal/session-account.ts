import type { JournalEvent } from "../contract/store/event.ts";
import { BEGINNING, type EventStamp, stampOf } from "./batch-events.ts";
import {
  batchError,
  type ChainOrigin,
  type ChainVerdict,
  chainAfter,
  type JournalBatch,
  linesOf,
} from "./chain.ts";
import { decodeEvent } from "./encode-event.ts";
import { extentAfter, NO_EXTENT } from "./matches-query.ts";
import { type StandingEventChange, StandingEvents } from "./standing-events.ts";

/** The row that a store has of a session. */
interface AccountedRow {
  readonly nextSeq: number;
  readonly head: string;
  readonly lastTurn: number;
  readonly calls: number;
  readonly isClosed: boolean;
  readonly openedAt: number;
  readonly activeAt: number;
}

/** What a store does with the parts of a batch that its own index is made of. */
export interface AccountListener {
  /** What is wrong with the index of these turns, which have events in the batch. */
  noteTurns(turns: ReadonlySet<string>, firstSeq: number): string | undefined;
  noteChanges?(changes: readonly StandingEventChange[], event: JournalEvent): void;
}

/** What a store must say of a session, as far as its events were read and found unchanged. */
export class SessionAccount {
  before: ChainOrigin = BEGINNING;
  extent = NO_EXTENT;
  readonly standing = new StandingEvents();
  #batches = 0;
  #calls = 0;
  #isClosed = false;
  #openedAt: number | undefined;
  #activeAt: number | undefined;
  /** How many events of a batch were erased, by its first event. */
  readonly #erased = new Map<number, number>();

  /** Takes in the next batch of a session, and returns what is wrong with it. `bytesError` is what the caller found. */
  take(
    batch: JournalBatch,
    session: string,
    bytesError: string | undefined,
    listener: AccountListener,
  ): string | undefined {
    const diagnostic =
      bytesError ?? batchError(batch, batch.hash, this.before) ?? this.#noteEvents(batch, session, listener);
    if (diagnostic !== undefined) return `at event ${batch.firstSeq}: ${diagnostic}`;
    this.before = chainAfter(batch);
    this.#batches += 1;
    return undefined;
  }

  verdict(diagnostic?: string): ChainVerdict {
    const [batches, { previous: head, firstSeq: event }] = [this.#batches, this.before];
    if (diagnostic !== undefined) return { intact: false, batch: batches, event, diagnostic };
    const erased = this.#erased.values().reduce((sum, one) => sum + one, 0);
    return { intact: true, head, batches, ...(erased === 0 ? {} : { erased }) };
  }

  /** Whether events are missing at the end. */
  endError({ nextSeq, head }: AccountedRow): string | undefined {
    const { previous, firstSeq } = this.before;
    if (nextSeq === firstSeq && head === previous) return undefined;
    return `its end is missing: it should reach to event ${nextSeq}, and reaches to ${firstSeq}`;
  }

  rowError(row: AccountedRow): string | undefined {
    const isSame =
      row.lastTurn === this.extent.lastTurn &&
      row.calls === this.#calls &&
      row.isClosed === this.#isClosed &&
      row.openedAt === (this.#openedAt ?? row.openedAt) &&
      row.activeAt === (this.#activeAt ?? row.activeAt);
    return isSame
      ? undefined
      : "what the store says of it (calls, times, state) does not agree with its events";
  }

  #noteEvents(batch: JournalBatch, session: string, listener: AccountListener): string | undefined {
    const { firstSeq, events } = batch;
    const turns = new Set<string>();
    const { lines } = linesOf(batch);
    if (lines.length !== events) return "it does not have as many events as it says";
    for (const [index, line] of lines.entries()) {
      const stamp = stampOf(line);
      const { seq, turn } = stamp;
      if (seq !== firstSeq + index) return "its events are not numbered in order";
      if (!turns.has(turn)) this.extent = extentAfter(this.extent, { seq, turn });
      turns.add(turn);
      const event = this.#noteStamp(stamp) ? decodeEvent(line) : undefined;
      if (event === undefined) continue;
      this.#note(event, firstSeq, listener);
      // A session that was copied or renamed still says whose record it is.
      if (event.type === "session-open" && event.sessionId !== session)
        return `it is the record of the session ${JSON.stringify(event.sessionId)}`;
    }
    return listener.noteTurns(turns, firstSeq);
  }

  /** Whether more than the stamp of the event counts. */
  #noteStamp({ at, type }: EventStamp): boolean {
    this.#openedAt ??= at;
    this.#activeAt = Math.max(this.#activeAt ?? at, at);
    if (type === "call-end") this.#calls += 1;
    else if (type === "session-close") this.#isClosed = true;
    else if (type === "session-open") this.#isClosed = false;
    return type === "call-refuse" || this.standing.concerns(type);
  }

  #note(entry: JournalEvent, firstSeq: number, listener: AccountListener): void {
    const { seq, turn } = entry;
    if (entry.type === "call-refuse" && entry.code !== "duplicate_call") this.#calls += 1;
    if (entry.type === "payload-erase")
      this.#erased.set(entry.firstSeq, (this.#erased.get(entry.firstSeq) ?? 0) + entry.events.length);
    const changes = this.standing.note({ seq, turn, firstSeq, entry });
    listener.noteChanges?.(changes, entry);
  }
}
