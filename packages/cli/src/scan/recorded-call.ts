import type { HookClientName } from "../clients/hook-call.ts";
import type { Fields } from "../clients/payload.ts";

/** The clients whose histories are read. */
export type ScannedClient = Extract<HookClientName, "claude-code" | "codex" | "gemini-cli" | "opencode">;

/** A call in a history, as the client would have sent it to its hook. */
export interface RecordedCall {
  /** Milliseconds since the epoch; of the file, where the record has none. */
  readonly at: number;
  readonly payload: Fields;
  /** Whether the history says that it was executed. One that failed or was refused may not have been. */
  readonly hasRun?: boolean;
}

/** The calls of one conversation, in their order. */
export interface RecordedConversation {
  readonly client: ScannedClient;
  readonly id: string;
  /** Where the client was started; `undefined` if the history does not say it. */
  readonly folder: string | undefined;
  readonly calls: readonly RecordedCall[];
}

/** What of the histories was not understood, and what was not read. */
export interface HistoryNotes {
  /** A record whose kind is not known, by that kind. */
  unknown(client: ScannedClient, kind: string): void;
  /** A file or a line that was not read, and why. */
  skipped(client: ScannedClient, reason: SkipReason): void;
}

export type SkipReason =
  | "a link"
  | "a line longer than 16 MB"
  | "a line that is not JSON"
  | "a file that cannot be read"
  | "a file larger than 1 GB"
  | "more than 100000 calls in a conversation"
  | "more than 50000 files";

/** The history of one client on this machine. */
export interface History {
  readonly client: ScannedClient;
  /** @param recent Default: everything. */
  conversations(notes: HistoryNotes, recent?: Recent): AsyncIterable<RecordedConversation>;
}

/** The latest part of a history: the ends of the newest files. What is not of the project may be in it. */
export interface Recent {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly project: string;
}

const MOST_CALLS = 100_000;

/** Collects the calls of a conversation by their ids: a later record of the same call replaces an earlier one. */
export class CallList {
  readonly #calls = new Map<string, RecordedCall>();
  readonly #ran = new Set<string>();
  readonly #client: ScannedClient;
  readonly #notes: HistoryNotes;

  constructor(client: ScannedClient, notes: HistoryNotes) {
    this.#client = client;
    this.#notes = notes;
  }

  add(id: string | undefined, call: RecordedCall): void {
    const key = id ?? `${this.#calls.size}`;
    if (this.#calls.size < MOST_CALLS || this.#calls.has(key)) this.#calls.set(key, call);
    else this.#notes.skipped(this.#client, "more than 100000 calls in a conversation");
  }

  /** The history says that this call was executed. */
  ran(id: string | undefined): void {
    if (id !== undefined) this.#ran.add(id);
  }

  /** By time; calls of the same time in the order of the history. */
  inOrder(): readonly RecordedCall[] {
    const calls = [...this.#calls].map(([id, call]) => ({ ...call, hasRun: this.#ran.has(id) }));
    return calls.toSorted((one, other) => one.at - other.at);
  }
}

/** The time of a record, of which clients write several forms. */
export function timeOf(value: unknown, otherwise: number): number {
  const at = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) && at > 0 && at < LATEST ? at : otherwise;
}

/** The latest time that a `Date` can hold. */
const LATEST = 8.64e15;
