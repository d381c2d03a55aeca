import { setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "@toolkeep/core";
import type { StoredSession } from "@toolkeep/core/journal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { isOfReports, reportedSession } from "../../project/store/reported-sessions.ts";
import { type CallFilter, isMatching } from "./call-filter.ts";
import type { LoggedCall } from "./logged-call.ts";
import { callsOf } from "./logged-calls.ts";

const SHORTEST_MS = 250;
/** A look that takes long is repeated less often. */
const REST = 5;
/** What is written in the moment of a look may be missed by it. */
const OVERLAP_MS = 1_000;
/** More sessions than these do not change between two looks, as a rule. */
const NEWEST = 50;

export interface FollowOptions {
  readonly filter: CallFilter;
  /** Only the calls of this session. */
  readonly session?: string | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Is told once of a session whose record was changed; its calls are left out. */
  onBroken(sessionId: string, error: Error): void;
}

/** Finds new and changed calls. Make it before the calls that are shown first are read, and tell it about those. */
export class FollowedCalls {
  readonly #store: Pick<SqliteStore, "sessions" | "events">;
  readonly #options: FollowOptions;
  /** What the last look saw of a session, by its id. */
  readonly #stamps: Map<string, string>;
  /** What is known of the calls of each session that was read. */
  readonly #known = new Map<string, Map<string, string>>();
  readonly #broken = new Set<string>();
  readonly #began = Date.now();
  #lookedAt = this.#began;

  constructor(store: Pick<SqliteStore, "sessions" | "events">, options: FollowOptions) {
    this.#store = store;
    this.#options = options;
    this.#stamps = new Map(store.sessions().map((entry) => [entry.sessionId, stampOf(entry)]));
  }

  /** Remembers calls of a session that need not be shown again as they are. */
  note(sessionId: string, calls: readonly LoggedCall[]): void {
    const known = this.#known.get(sessionId) ?? new Map<string, string>();
    for (const call of calls) known.set(keyOf(call), stateOf(call));
    this.#known.set(sessionId, known);
  }

  /** Yields each call once it is new or has changed, until the signal. */
  async *read(): AsyncGenerator<LoggedCall> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      const began = performance.now();
      yield* await this.#look();
      const rest = Math.max(SHORTEST_MS, (performance.now() - began) * REST);
      await sleep(rest, undefined, { signal }).catch(() => {});
    }
  }

  async #look(): Promise<readonly LoggedCall[]> {
    const now = Date.now();
    const found: LoggedCall[] = [];
    for (const sessionId of this.#changedSessions()) found.push(...(await this.#changedCalls(sessionId)));
    this.#lookedAt = now;
    return found
      .filter((call) => isMatching(call, this.#options.filter))
      .toSorted((one, other) => one.changedAt - other.changedAt);
  }

  #changedSessions(): ReadonlySet<string> {
    const { session } = this.#options;
    const before = this.#lookedAt - OVERLAP_MS;
    const newest = this.#store.sessions({ limit: NEWEST });
    const isWhole = newest.length < NEWEST || (newest.at(-1)?.activeAt ?? 0) < before;
    const changed = new Set<string>();
    for (const entry of isWhole ? newest : this.#store.sessions()) {
      const stamp = stampOf(entry);
      const isSame = this.#stamps.get(entry.sessionId) === stamp && entry.activeAt < before;
      this.#stamps.set(entry.sessionId, stamp);
      const sessionId = isOfReports(entry.sessionId) ? reportedSession(entry.sessionId) : entry.sessionId;
      if (!isSame && (session === undefined || session === sessionId)) changed.add(sessionId);
    }
    return changed;
  }

  /** Of a session that was not read before, what happened since the beginning. */
  async #changedCalls(sessionId: string): Promise<readonly LoggedCall[]> {
    const known = this.#known.get(sessionId);
    const calls = await this.#callsOf(sessionId);
    const changed = calls.filter((call) =>
      known === undefined
        ? call.changedAt >= this.#began - OVERLAP_MS
        : known.get(keyOf(call)) !== stateOf(call),
    );
    this.note(sessionId, calls);
    return changed;
  }

  async #callsOf(sessionId: string): Promise<readonly LoggedCall[]> {
    try {
      return await callsOf(this.#store, sessionId);
    } catch (error) {
      if (!ToolkeepError.isInstance(error)) throw error;
      if (error.code === "journal_broken" && !this.#broken.has(sessionId)) {
        this.#broken.add(sessionId);
        this.#options.onBroken(sessionId, error);
      }
      // Otherwise the session is gone.
      return [];
    }
  }
}

function stampOf({ activeAt, calls, waiting, state }: StoredSession): string {
  return `${activeAt}/${calls}/${waiting.length}/${state}`;
}

function keyOf({ turn, callId }: LoggedCall): string {
  return `${turn}/${callId}`;
}

function stateOf({ decision, by, person, outcome, crash }: LoggedCall): string {
  return JSON.stringify([decision, by, person, outcome, crash !== undefined]);
}
