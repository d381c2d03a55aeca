import type { JournalEvent } from "../contract/store/event.ts";
import type { JournalExtent, JournalQuery } from "../contract/store/store.ts";

/** Whether a query asks for the event. What no longer counts is not left out: a query allows that, and never demands it. */
export function matchesQuery(
  event: Pick<JournalEvent, "turn" | "type"> & Partial<Pick<JournalEvent, "seq">>,
  { turn, types, fromSeq = 0 }: JournalQuery = {},
): boolean {
  if (event.seq !== undefined && event.seq < fromSeq) return false;
  return (turn === undefined || event.turn === turn) && (types === undefined || types.includes(event.type));
}

const COUNTED = /^t(\d+)$/;

/** How far a journal goes that ended at `before` until this event came. */
export function extentAfter(
  { lastTurn }: JournalExtent,
  { seq, turn }: Pick<JournalEvent, "seq" | "turn">,
): JournalExtent {
  return { nextSeq: seq + 1, lastTurn: Math.max(lastTurn, Number(COUNTED.exec(turn)?.[1] ?? 0)) };
}

/** The extent of an empty journal. */
export const NO_EXTENT: JournalExtent = Object.freeze({ nextSeq: 0, lastTurn: 0 });
