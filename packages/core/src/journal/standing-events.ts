import type { JournalEntry } from "../contract/store/event.ts";
import type { JournalQuery } from "../contract/store/store.ts";

/** An event that still applies, and its position in the journal. */
export interface StandingEvent {
  readonly type: string;
  /** What it is about: a later event of the same type and key replaces it. */
  readonly key: string;
  readonly seq: number;
  /** The first event of its batch. */
  readonly firstSeq: number;
}

export type StandingEventChange =
  | { readonly kind: "set"; readonly standingEvent: StandingEvent }
  | { readonly kind: "drop"; readonly standingEvent: StandingEvent };

/** An event, and the batch it is in. */
export interface BatchedEvent {
  readonly seq: number;
  readonly turn: string;
  readonly firstSeq: number;
  readonly entry: JournalEntry;
}

/** The types that the index finds, and those that only remove entries from it. */
const INDEXED_TYPES: ReadonlySet<string> = new Set([
  ...["session-open", "session-taint", "script-change", "approval-remember", "rule-add", "state-write"],
  "payload-erase",
  ...["run-end", "turn-start", "turn-park", "approval-request", "question-request"],
  ...["approval-forget", "turn-end", "approval-answer", "question-answer"],
]);

/** Ends of calls only remove requests, and only where there are some. */
const SETTLING_TYPES: ReadonlySet<string> = new Set(["call-end", "call-refuse"]);

/** Whether the index has everything that a query needs. */
export function isAnsweredByIndex({ turn, types, standing }: JournalQuery): boolean {
  if (standing !== true || turn !== undefined || types === undefined) return false;
  return types.every((type) => INDEXED_TYPES.has(type) || SETTLING_TYPES.has(type));
}

/** The events that ask the user something. */
export const REQUEST_TYPES = ["approval-request", "question-request"] as const;

const NONE: readonly StandingEventChange[] = [];

/**
 * The index of the events of a session that still apply. Stores keep its rows, so that opening a session reads only
 * those. It follows from the events alone, so the rows can be verified.
 */
export class StandingEvents {
  readonly #standing = new Map<string, StandingEvent>();
  /** Open requests, by the call they are about. */
  readonly #asked = new Map<string, StandingEvent[]>();

  /** Whether an event of this type may change the index. */
  concerns(type: string): boolean {
    return INDEXED_TYPES.has(type) || (this.#asked.size > 0 && SETTLING_TYPES.has(type));
  }

  all(): readonly StandingEvent[] {
    return [...this.#standing.values()];
  }

  /** Restores a row. A request is also given to `restoreRequest`. */
  restore(standingEvent: StandingEvent): void {
    this.#standing.set(nameOf(standingEvent.type, standingEvent.key), standingEvent);
  }

  /** Restores which call a request is about. */
  restoreRequest(turn: string, callId: string, standingEvent: StandingEvent): void {
    this.#ask(turn, callId, standingEvent);
  }

  /** Takes in one event and returns what that changes in the index. */
  note({ seq, turn, firstSeq, entry }: BatchedEvent): readonly StandingEventChange[] {
    const at = (key: string): StandingEvent => ({ type: entry.type, key, seq, firstSeq });
    switch (entry.type) {
      case "session-open":
        return this.#set(at(""));
      case "session-taint":
        return this.#set(at(entry.ofCall === undefined ? entry.label : `${entry.label} ${entry.ofCall}`));
      case "script-change":
        return this.#set(at(entry.path));
      case "approval-remember":
      case "rule-add":
        return this.#set(at(String(seq)));
      case "approval-forget":
        return this.#dropAll(["approval-remember", "rule-add"]);
      case "state-write":
        return this.#set(at(entry.tool));
      case "payload-erase":
        return this.#set(at(String(entry.firstSeq)));
      case "run-end":
        return entry.checkpoint === undefined ? NONE : this.#set(at(""));
      case "turn-start":
      case "turn-park":
        return this.#set(at(turn));
      case "turn-end":
        return [...this.#drop("turn-start", turn), ...this.#drop("turn-park", turn)];
      case "approval-request":
      case "question-request":
        // A question that a tool asks in `init` belongs to no turn and cannot be answered from elsewhere.
        if (turn === "") return NONE;
        this.#ask(turn, entry.request.callId, at(`${turn}/${entry.id}`));
        return this.#set(at(`${turn}/${entry.id}`));
      case "approval-answer":
        return this.#drop("approval-request", `${turn}/${entry.id}`);
      case "question-answer":
        return this.#drop("question-request", `${turn}/${entry.id}`);
      case "call-end":
        return this.#settle(turn, entry.callId);
      case "call-refuse":
        return entry.code === "duplicate_call" ? NONE : this.#settle(turn, entry.callId);
      default:
        return NONE;
    }
  }

  #ask(turn: string, callId: string, standingEvent: StandingEvent): void {
    const call = `${turn}/${callId}`;
    this.#asked.set(call, [...(this.#asked.get(call) ?? []), standingEvent]);
  }

  #set(standingEvent: StandingEvent): readonly StandingEventChange[] {
    this.#standing.set(nameOf(standingEvent.type, standingEvent.key), standingEvent);
    return [{ kind: "set", standingEvent }];
  }

  #drop(type: string, key: string): readonly StandingEventChange[] {
    const name = nameOf(type, key);
    const standingEvent = this.#standing.get(name);
    if (standingEvent === undefined) return NONE;
    this.#standing.delete(name);
    return [{ kind: "drop", standingEvent }];
  }

  #dropAll(types: readonly string[]): readonly StandingEventChange[] {
    const forgotten = this.all().filter(({ type }) => types.includes(type));
    return forgotten.flatMap(({ type, key }) => this.#drop(type, key));
  }

  #settle(turn: string, callId: string): readonly StandingEventChange[] {
    if (this.#asked.size === 0) return NONE;
    const asked = this.#asked.get(`${turn}/${callId}`) ?? [];
    this.#asked.delete(`${turn}/${callId}`);
    return asked.flatMap(({ type, key }) => this.#drop(type, key));
  }
}

function nameOf(type: string, key: string): string {
  return `${type} ${key}`;
}
