import type { JournalEntry, JournalEvent } from "../contract/store/event.ts";
import type { JournalQuery } from "../contract/store/store.ts";
import { eventLine } from "./encode-event.ts";
import { matchesQuery } from "./matches-query.ts";

/** An event as a journal in memory keeps it. */
export interface KeptEvent extends Pick<JournalEvent, "seq" | "turn" | "type"> {
  /** One line of JSON, with its line end. */
  readonly line: string;
}

/** Events that are dropped together. */
interface Group {
  readonly events: KeptEvent[];
  /** About how many bytes they take. */
  size: number;
  /** How many of them the index of turns has. */
  indexed: number;
}

/** What an event takes in addition to its texts. */
const EVENT_BYTES = 400;

/** The newest events, up to a size. Older ones are dropped, a group at a time, and counted. */
export class KeptEvents {
  readonly #mostBytes: number;
  readonly #groupEvents: number;
  /** The last one is added to. */
  readonly #groups: Group[] = [emptyGroup()];
  /** Made up to date when a turn is asked for: appends are on the path of every call. */
  readonly #byTurn = new Map<string, KeptEvent[]>();
  #bytes = 0;
  droppedEvents = 0;

  constructor(mostBytes: number, groupEvents: number) {
    this.#mostBytes = mostBytes;
    this.#groupEvents = groupEvents;
  }

  /** `redact` for an entry that may have secrets. */
  add(seq: number, at: number, turn: string, entry: JournalEntry, redact = asItIs): void {
    const group = this.#groups.at(-1) as Group;
    if (entry.type === "call-start" || entry.type === "call-end") {
      group.events.push(new KeptCall(seq, at, turn, entry, redact));
      group.size += EVENT_BYTES + (entry.type === "call-end" ? entry.result : entry.arguments).size;
    } else {
      const line = eventLine(seq, at, turn, redact(entry));
      group.events.push({ seq, turn, type: entry.type, line });
      group.size += EVENT_BYTES + line.length;
    }
    if (group.events.length >= this.#groupEvents) this.#close(group);
  }

  /** The events that a query asks for, in order. */
  matching(query: JournalQuery = {}): readonly KeptEvent[] {
    const among = query.turn === undefined ? this.inGroups().flat() : this.#ofTurn(query.turn);
    return among.filter((event) => matchesQuery(event, query));
  }

  inGroups(): readonly (readonly KeptEvent[])[] {
    return this.#groups.map(({ events }) => [...events]);
  }

  #close(full: Group): void {
    this.#bytes += full.size;
    while (this.#bytes > this.#mostBytes && this.#groups.length > 1) this.#drop();
    this.#groups.push(emptyGroup());
  }

  #drop(): void {
    const { events, size, indexed } = this.#groups.shift() as Group;
    this.#bytes -= size;
    this.droppedEvents += events.length;
    for (const { turn } of events.slice(0, indexed)) {
      const ofTurn = this.#byTurn.get(turn);
      ofTurn?.shift();
      if (ofTurn?.length === 0) this.#byTurn.delete(turn);
    }
  }

  #ofTurn(turn: string): readonly KeptEvent[] {
    for (const group of this.#groups) {
      for (const event of group.events.slice(group.indexed)) {
        const ofTurn = this.#byTurn.get(event.turn);
        if (ofTurn === undefined) this.#byTurn.set(event.turn, [event]);
        else ofTurn.push(event);
      }
      group.indexed = group.events.length;
    }
    return this.#byTurn.get(turn) ?? [];
  }
}

const asItIs = (entry: JournalEntry): JournalEntry => entry;

/**
 * The start or the end of a call. Its parts are texts, and effects that were made for this call, so that its line can
 * be made when it is read. Other entries can hold objects of the host application, and become text at once.
 */
class KeptCall implements KeptEvent {
  readonly seq: number;
  readonly turn: string;
  readonly type: JournalEntry["type"];
  readonly #at: number;
  /** Until its line was made. */
  #unwritten: JournalEntry | undefined;
  readonly #redact: (entry: JournalEntry) => JournalEntry;
  /** Made once: it stays the same when more values become known as secrets. */
  #line = "";

  constructor(seq: number, at: number, turn: string, entry: JournalEntry, redact: typeof asItIs) {
    this.seq = seq;
    this.turn = turn;
    this.type = entry.type;
    this.#at = at;
    this.#unwritten = entry;
    this.#redact = redact;
  }

  get line(): string {
    if (this.#unwritten !== undefined)
      this.#line = eventLine(this.seq, this.#at, this.turn, this.#redact(this.#unwritten));
    this.#unwritten = undefined;
    return this.#line;
  }
}

function emptyGroup(): Group {
  return { events: [], size: 0, indexed: 0 };
}
