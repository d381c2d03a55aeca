import type { PersonRequest } from "@toolkeep/core";
import type { JournalEntry, OpenBatch } from "@toolkeep/core/journal";
import { isRequestType, type RequestRow, type SessionWrite, type StandingRow } from "./session-write.ts";

/** What the rows of the index need besides the changes that a batch notes. */
export class BatchIndex {
  /** Most batches have neither. */
  #asks: Map<string, RequestRow> | undefined;
  #waiting: Map<string, readonly string[]> | undefined;

  note(seq: number, at: number, turn: string, entry: JournalEntry): void {
    if (entry.type === "turn-park") {
      const { waiting, of = turn, elsewhere = [] } = entry;
      const own = waiting.map((id) => `${of}/${id}`);
      // No turn has an empty name, and no session a name with a slash.
      const others = elsewhere.map(({ sessionId, id }) => `/${sessionId}/${id}`);
      this.#waiting ??= new Map();
      this.#waiting.set(turn, [...own, ...others]);
    } else if (entry.type === "approval-request" || entry.type === "question-request") {
      const key = `${turn}/${entry.id}`;
      this.#asks ??= new Map();
      this.#asks.set(key, requestRow({ key, seq, at }, entry.request));
    }
  }

  /** The changes of the batch, the last one of each row. */
  changesOf({ changes }: OpenBatch): Pick<SessionWrite, "sets" | "drops" | "asks"> {
    if (changes.length === 0) return UNCHANGED;
    const last = new Map(changes.map((change) => [nameOf(change.standingEvent), change]));
    const sets: StandingRow[] = [];
    const asks: RequestRow[] = [];
    const drops: { type: string; key: string }[] = [];
    for (const { kind, standingEvent } of last.values()) {
      const { type, key } = standingEvent;
      if (kind === "drop") drops.push({ type, key });
      else
        sets.push({ ...standingEvent, waiting: type === "turn-park" ? this.#waiting?.get(key) : undefined });
      const ask = kind === "set" && isRequestType(type) ? this.#asks?.get(key) : undefined;
      if (ask !== undefined) asks.push(ask);
    }
    return { sets, drops, asks };
  }
}

const UNCHANGED = { sets: [], drops: [], asks: [] } as const;

function nameOf({ type, key }: { readonly type: string; readonly key: string }): string {
  return `${type} ${key}`;
}

/** The row of a request. */
export function requestRow(
  { key, seq, at }: { readonly key: string; readonly seq: number; readonly at: number },
  request: PersonRequest,
): RequestRow {
  const { expiresAt, needs } = request as { readonly expiresAt?: number; readonly needs?: unknown };
  return {
    ...{ key, seq, id: request.id, needs: needs !== undefined, askedAt: at },
    ...{ expiresAt: expiresAt ?? null, request: JSON.stringify(request) },
  };
}
