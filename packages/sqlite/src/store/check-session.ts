import { BEGINNING, type EventStamp, stampOf } from "@toolkeep/core/internal";
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
import { CHUNK } from "./batches.ts";
import { errorMessage, inSnapshot } from "./database.ts";
import { headError, type ReadNote } from "./head-note.ts";
import { bytesError, type EventDatabase } from "./read-events.ts";
import type { SessionRow } from "./session-rows.ts";

/**
 * Verifies a whole session, some batches at a time: every batch is unchanged and follows the one before, nothing is
 * missing at the end, and the index agrees with the events. Yields after each part, so that the caller can let other
 * work run. The result is also right while the session is written to. `reached` is where it begins, and is moved on.
 */
export function* checkSession(
  database: EventDatabase,
  name: string,
  noted: () => ReadNote | undefined,
  reached: Reached = fromBeginning(),
): Generator<void, ChainVerdict> {
  for (;;) {
    try {
      // Before the snapshot: what is noted after it may be newer.
      const note = noted();
      const diagnostic = inSnapshot(database.db, () => checkChunk(database, name, reached, note));
      if (diagnostic === "whole") return intact(reached);
      if (diagnostic !== undefined) return brokenAfter(reached, diagnostic);
    } catch (error) {
      const diagnostic = `from event ${reached.before.firstSeq} on it cannot be read (${errorMessage(error)})`;
      return brokenAfter(reached, diagnostic);
    }
    yield;
  }
}

function intact({ before, batches, erased }: Reached): ChainVerdict {
  const count = [...erased.values()].reduce((sum, one) => sum + one, 0);
  return { intact: true, head: before.previous, batches, ...(count === 0 ? {} : { erased: count }) };
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
  /** What these rows are: the first events of the batches of each turn. `undefined` once they are too many to keep. */
  turns: Map<string, number[]> | undefined;
  extent: JournalExtent;
  /** What the row of the session must say. */
  calls: number;
  isClosed: boolean;
  openedAt: number | undefined;
  activeAt: number | undefined;
  /** How many events of a batch were erased, by its first event. */
  readonly erased: Map<number, number>;
  readonly standingEvents: StandingEvents;
}

export function fromBeginning(): Reached {
  return {
    before: BEGINNING,
    batches: 0,
    turnRows: 0,
    turns: new Map(),
    extent: { nextSeq: 0, lastTurn: 0 },
    ...{ calls: 0, isClosed: false, openedAt: undefined, activeAt: undefined },
    erased: new Map(),
    standingEvents: new StandingEvents(),
  };
}

/** What is wrong with the next batches; `whole` when they were the last ones and everything is right. */
function checkChunk(
  database: EventDatabase,
  name: string,
  reached: Reached,
  noted: ReadNote | undefined,
): string | undefined {
  const session = database.sessions.byName(name);
  if (session === undefined) return "the session is gone";
  const chunk = database.batches.from(session.id, reached.before.firstSeq);
  for (const batch of chunk) {
    const diagnostic =
      bytesError(database, session.id, batch) ??
      batchError(batch, batch.hash, reached.before) ??
      noteAll(batch, session, reached, database);
    if (diagnostic !== undefined) return `at event ${batch.firstSeq}: ${diagnostic}`;
    reached.before = chainAfter(batch);
    reached.batches += 1;
  }
  if (chunk.length === CHUNK) return undefined;
  return endError(session, database, reached, noted) ?? "whole";
}

function endError(
  session: SessionRow,
  database: EventDatabase,
  reached: Reached,
  noted: ReadNote | undefined,
): string | undefined {
  const { before, standingEvents, turnRows, extent } = reached;
  if (session.nextSeq !== before.firstSeq || session.head !== before.previous) {
    return `its end is missing: it should reach to event ${session.nextSeq}, and reaches to ${before.firstSeq}`;
  }
  const diagnostic = headError(noted, session);
  if (diagnostic !== undefined) return diagnostic;
  const isSame =
    textOf(standingEvents.all()) === textOf(database.sessions.standingEvents(session.id)) &&
    database.batches.countIndexed(session.id) === turnRows &&
    session.lastTurn === extent.lastTurn;
  if (!isSame) return OTHER_INDEX;
  const { calls, isClosed, openedAt = session.openedAt, activeAt = session.activeAt } = reached;
  const isSameRow =
    session.calls === calls &&
    session.isClosed === isClosed &&
    session.openedAt === openedAt &&
    session.activeAt === activeAt;
  return isSameRow
    ? undefined
    : "what the store says of it (calls, times, state) does not agree with its events";
}

const OTHER_INDEX = "its index does not agree with its events";

function noteAll(
  batch: JournalBatch,
  session: SessionRow,
  reached: Reached,
  { batches }: EventDatabase,
): string | undefined {
  const { firstSeq, events } = batch;
  const turns = new Set<string>();
  const { lines } = linesOf(batch);
  if (lines.length !== events) return "it does not have as many events as it says";
  for (const [index, line] of lines.entries()) {
    const stamp = stampOf(line);
    const { seq, turn } = stamp;
    if (seq !== firstSeq + index) return "its events are not numbered in order";
    if (!turns.has(turn)) reached.extent = extentAfter(reached.extent, { seq, turn });
    turns.add(turn);
    const diagnostic = noteEvent(stamp, line, { session, firstSeq, reached });
    if (diagnostic !== undefined) return diagnostic;
  }
  for (const turn of turns) if (!batches.isIndexed(session.id, turn, firstSeq)) return OTHER_INDEX;
  noteTurns(turns, firstSeq, reached);
  return undefined;
}

/** A row takes about a hundred bytes. */
const MOST_TURN_ROWS = 50_000;

function noteTurns(turns: ReadonlySet<string>, firstSeq: number, reached: Reached): void {
  reached.turnRows += turns.size;
  if (reached.turnRows > MOST_TURN_ROWS) reached.turns = undefined;
  for (const turn of turns) {
    const known = reached.turns?.get(turn);
    if (known === undefined) reached.turns?.set(turn, [firstSeq]);
    else known.push(firstSeq);
  }
}

interface Noting {
  readonly session: SessionRow;
  readonly firstSeq: number;
  readonly reached: Reached;
}

/** Takes in one event. Parses it only where more than its stamp counts. */
function noteEvent(
  { seq, at, turn, type }: EventStamp,
  line: string,
  { session, firstSeq, reached }: Noting,
): string | undefined {
  reached.openedAt ??= at;
  reached.activeAt = Math.max(reached.activeAt ?? at, at);
  if (type === "call-end") reached.calls += 1;
  else if (type === "session-close") reached.isClosed = true;
  const isIndexed = reached.standingEvents.concerns(type);
  if (!isIndexed && type !== "call-refuse") return undefined;
  const entry = decodeEvent(line);
  if (isIndexed) reached.standingEvents.note({ seq, turn, firstSeq, entry });
  if (entry.type === "call-refuse" && entry.code !== "duplicate_call") reached.calls += 1;
  if (entry.type === "payload-erase")
    reached.erased.set(entry.firstSeq, (reached.erased.get(entry.firstSeq) ?? 0) + entry.events.length);
  if (entry.type !== "session-open") return undefined;
  reached.isClosed = false;
  // A session that was copied or renamed still says whose record it is.
  return entry.sessionId === session.name
    ? undefined
    : `it is the record of the session ${JSON.stringify(entry.sessionId)}`;
}

function textOf(standingEvents: readonly StandingEvent[]): string {
  return standingEvents
    .map(({ type, key, seq, firstSeq }) => JSON.stringify([type, key, seq, firstSeq]))
    .toSorted()
    .join("\n");
}
