import type { JournalEvent } from "../contract/store/event.ts";
import type { JournalQuery } from "../contract/store/store.ts";
import { ToolkeepError } from "../contract/values/error.ts";
import { CHAIN_START, type ChainOrigin, type JournalBatch, linesOf } from "./chain.ts";
import { decodeEvent } from "./encode-event.ts";
import { matchesQuery } from "./matches-query.ts";

/** Before the first batch of any session. */
export const BEGINNING: ChainOrigin = Object.freeze({ previous: CHAIN_START, firstSeq: 0 });

/** Before a batch that was found; before the first one if none was. */
export function originOf(batch: JournalBatch | undefined): ChainOrigin {
  return batch === undefined ? BEGINNING : { previous: linesOf(batch).previous, firstSeq: batch.firstSeq };
}

/** The error for a journal that was changed. */
export function brokenAt(session: string, seq: number, reason: string): ToolkeepError {
  const where = `The journal of the session ${JSON.stringify(session)} is broken at event ${seq}`;
  return new ToolkeepError("journal_broken", `${where}: ${reason}.`);
}

/** The events of a batch that a query asks for. Parses only the lines that match. */
export function* eventsIn(batch: JournalBatch, query: JournalQuery): Generator<JournalEvent> {
  for (const line of linesOf(batch).lines) {
    if (matchesQuery(stampOf(line), query)) yield decodeEvent(line);
  }
}

/** The beginning of an event. */
export type EventStamp = Pick<JournalEvent, "seq" | "at" | "turn" | "type">;

const STAMP = /^\{"seq":(\d+),"at":([^,]*),"turn":"([^"]*)","type":"([^"]*)"/;

/** Reads the beginning of a line without parsing the rest: names of turns and types contain nothing to escape. */
export function stampOf(line: string): EventStamp {
  const [, seq, at, turn, type] = STAMP.exec(line) ?? [];
  if (turn === undefined || type === undefined) return decodeEvent(line);
  return { seq: Number(seq), at: Number(at), turn, type: type as JournalEvent["type"] };
}
