import type { JournalEntry } from "../contract/store/event.ts";
import type { JournalExtent } from "../contract/store/store.ts";
import { CHAIN_START, linkBatch } from "./chain.ts";
import { eventLine } from "./encode-event.ts";
import { extentAfter } from "./matches-query.ts";
import type { StandingEventChange, StandingEvents } from "./standing-events.ts";

const encoder = new TextEncoder();

/** The events that were appended since the last commit of a store: their bytes, and what changes in the index. */
export class OpenBatch {
  readonly firstSeq: number;
  readonly turns = new Set<string>();
  readonly changes: StandingEventChange[] = [];
  /** How many calls are settled in it. */
  calls = 0;
  /** The time of its first event, and the latest of all. */
  firstAt: number | undefined;
  lastAt = 0;
  /** Whether the session is closed after it; `undefined` if the batch neither opens nor closes it. */
  isClosed: boolean | undefined;
  extent: JournalExtent;
  #text = `${CHAIN_START}\n`;
  #turn: string | undefined;

  constructor(extent: JournalExtent) {
    this.firstSeq = extent.nextSeq;
    this.extent = extent;
  }

  get events(): number {
    return this.extent.nextSeq - this.firstSeq;
  }

  /** About how many bytes it has. */
  get size(): number {
    return this.#text.length;
  }

  append(seq: number, at: number, turn: string, entry: JournalEntry): void {
    this.#text += eventLine(seq, at, turn, entry);
    this.firstAt ??= at;
    if (at > this.lastAt) this.lastAt = at;
    if (turn === this.#turn) this.extent = { nextSeq: seq + 1, lastTurn: this.extent.lastTurn };
    else {
      this.#turn = turn;
      this.turns.add(turn);
      this.extent = extentAfter(this.extent, { seq, turn });
    }
    if (entry.type === "call-end" || (entry.type === "call-refuse" && entry.code !== "duplicate_call"))
      this.calls += 1;
    else if (entry.type === "session-close") this.isClosed = true;
    else if (entry.type === "session-open") this.isClosed = false;
  }

  note(standingEvents: StandingEvents, seq: number, turn: string, entry: JournalEntry): void {
    const changes = standingEvents.note({ seq, turn, firstSeq: this.firstSeq, entry });
    if (changes.length > 0) this.changes.push(...changes);
  }

  /** The bytes of the batch, linked to the hash of the batch before it. */
  encode(previous: string): Uint8Array<ArrayBuffer> {
    const bytes = encoder.encode(this.#text);
    linkBatch(bytes, previous);
    return bytes;
  }
}
