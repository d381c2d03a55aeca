import {
  batchError,
  type ChainOrigin,
  type ChainVerdict,
  chainAfter,
  decodeEvent,
  extentAfter,
  type JournalBatch,
  type JournalExtent,
  linesOf,
  type StandingEvent,
  StandingEvents,
} from "@toolkeep/core/journal";
import { CHUNK, sha256 } from "./batches.ts";
import { errorMessage, inSnapshot } from "./database.ts";
import { headError, type NotedHead } from "./head-note.ts";
import { BEGINNING, type EventDatabase, stampOf } from "./read-events.ts";
import type { SessionRow } from "./sessions.ts";

/**
 * Verifies a whole session, some batches at a time: every batch is unchanged and follows the one before, nothing is
 * missing at the end, and the index agrees with the events. Yields after each part, so that the caller can let other
 * work run. The result is also right while the session is written to. `reached` is where it begins, and is moved on.
 */
export function* checkSession(
  database: EventDatabase,
  name: string,
  noted: () => NotedHead | undefined,
  reached: Reached = fromBeginning(),
): Generator<void, ChainVerdict> {
  for (;;) {
    try {
      const diagnostic = inSnapshot(database.db, () => checkChunk(database, name, reached, noted));
      if (diagnostic === "whole")
        return { intact: true, head: reached.before.previous, batches: reached.batches };
      if (diagnostic !== undefined) return brokenAfter(reached, diagnostic);
    } catch (error) {
      const diagnostic = `from event ${reached.before.firstSeq} on it cannot be read (${errorMessage(error)})`;
      return brokenAfter(reached, diagnostic);
    }
    yield;
  }
}

function brokenAfter(
  { batches: batch, before: { firstSeq: event } }: Reached,
  diagnostic: string,
): ChainVerdict {
  return { intact: false, batch, event, diagnostic };
}

/** How far the verification is. */
export interface Reached {
  before: ChainOrigin;
  batches: number;
  /** How many rows the index of turns must have so far. */
  turnRows: number;
  extent: JournalExtent;
  readonly standingEvents: StandingEvents;
}

export function fromBeginning(): Reached {
  return {
    before: BEGINNING,
    batches: 0,
    turnRows: 0,
    extent: { nextSeq: 0, lastTurn: 0 },
    standingEvents: new StandingEvents(),
  };
}

/** What is wrong with the next batches; `whole` when they were the last ones and everything is right. */
function checkChunk(
  database: EventDatabase,
  name: string,
  reached: Reached,
  noted: () => NotedHead | undefined,
): string | undefined {
  const session = database.sessions.byName(name);
  if (session === undefined) return "the session is gone";
  const chunk = database.batches.from(session.id, reached.before.firstSeq);
  for (const batch of chunk) {
    const diagnostic =
      batchError(batch, sha256(batch.bytes), reached.before) ?? noteAll(batch, session.id, reached, database);
    if (diagnostic !== undefined) return `at event ${batch.firstSeq}: ${diagnostic}`;
    reached.before = chainAfter(batch);
    reached.batches += 1;
  }
  if (chunk.length === CHUNK) return undefined;
  return endError({ session, database, ...reached, noted: noted() }) ?? "whole";
}

interface End {
  readonly session: SessionRow;
  readonly before: ChainOrigin;
  readonly database: EventDatabase;
  readonly standingEvents: StandingEvents;
  readonly turnRows: number;
  readonly extent: JournalExtent;
  readonly noted: NotedHead | undefined;
}

function endError({
  session,
  before,
  database,
  standingEvents,
  turnRows,
  extent,
  noted,
}: End): string | undefined {
  if (session.nextSeq !== before.firstSeq || session.head !== before.previous) {
    return `its end is missing: it should reach to event ${session.nextSeq}, and reaches to ${before.firstSeq}`;
  }
  const diagnostic = headError(noted, session);
  if (diagnostic !== undefined) return diagnostic;
  const isSame =
    textOf(standingEvents.all()) === textOf(database.sessions.standingEvents(session.id)) &&
    database.batches.countIndexed(session.id) === turnRows &&
    session.lastTurn === extent.lastTurn;
  return isSame ? undefined : OTHER_INDEX;
}

const OTHER_INDEX = "its index does not agree with its events";

function noteAll(
  batch: JournalBatch,
  session: number,
  reached: Reached,
  { batches }: EventDatabase,
): string | undefined {
  const { firstSeq, events } = batch;
  const { standingEvents } = reached;
  const turns = new Set<string>();
  const { lines } = linesOf(batch);
  if (lines.length !== events) return "it does not have as many events as it says";
  for (const [index, line] of lines.entries()) {
    const { seq, turn, type } = stampOf(line);
    if (seq !== firstSeq + index) return "its events are not numbered in order";
    if (!turns.has(turn)) reached.extent = extentAfter(reached.extent, { seq, turn });
    turns.add(turn);
    if (standingEvents.concerns(type)) standingEvents.note({ seq, turn, firstSeq, entry: decodeEvent(line) });
  }
  reached.turnRows += turns.size;
  for (const turn of turns) if (!batches.isIndexed(session, turn, firstSeq)) return OTHER_INDEX;
  return undefined;
}

function textOf(standingEvents: readonly StandingEvent[]): string {
  return standingEvents
    .map(({ type, key, seq, firstSeq }) => JSON.stringify([type, key, seq, firstSeq]))
    .toSorted()
    .join("\n");
}
