import type { DatabaseSync } from "node:sqlite";
import { setImmediate as immediate } from "node:timers/promises";
import { brokenAt, ERASE_MENTION, eventsIn, originOf, wasErasedTo } from "@toolkeep/core/internal";
import {
  batchError,
  type ChainOrigin,
  chainAfter,
  decodeEvent,
  isAnsweredByIndex,
  type JournalBatch,
  type JournalEvent,
  type JournalQuery,
  linesOf,
  type PayloadErase,
} from "@toolkeep/core/journal";
import { type BatchRows, CHUNK, MOST_EVENTS, sha256 } from "./batches.ts";
import type { SessionRow, SessionRows } from "./session-rows.ts";

/** The database handles that events are read with. */
export interface EventDatabase {
  readonly db: DatabaseSync;
  readonly batches: BatchRows;
  readonly sessions: SessionRows;
}

/** A session, and up to which event it is read. */
export type ReadSession = Pick<SessionRow, "id" | "name" | "nextSeq">;

/** The events that match a query, in order, each verified. @throws ToolkeepError `journal_broken` at a changed batch. */
export function readEvents(
  database: EventDatabase,
  session: ReadSession,
  query: JournalQuery = {},
): Generator<JournalEvent> {
  if (query.turn !== undefined) return readTurnEvents(database, session, query.turn, query);
  return isAnsweredByIndex(query)
    ? readStandingEvents(database, session, query)
    : readAll(database, session, query);
}

const AT_ONCE = 500;

/** Yields the items, and yields to the event loop from time to time. */
export async function* inChunks<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  let count = 0;
  for (const item of items) {
    yield item;
    count += 1;
    if (count % AT_ONCE === 0) await immediate();
  }
}

/** Whether the bytes of a batch were changed. Those of which payloads were erased must be what that event says. */
export function bytesError(
  database: EventDatabase,
  session: number,
  batch: JournalBatch,
): string | undefined {
  const found = sha256(batch.bytes);
  if (found === batch.hash) return undefined;
  const erase = eraseOf(database, session, batch.firstSeq);
  if (erase?.hash === batch.hash && erase.erased === found) return undefined;
  // Only where the last erasure does not fit: all events are searched.
  const mentions = () =>
    database.batches.mentioning(session, new TextEncoder().encode(ERASE_MENTION), 0, MOST_EVENTS - 1);
  const isHalfway = erase !== undefined && wasErasedTo(mentions(), batch, found, sha256);
  return isHalfway ? undefined : "its bytes were changed";
}

/** What was erased last from the batch that begins at an event. The whole chain shows whether that event is its own. */
function eraseOf(
  { batches, sessions }: EventDatabase,
  session: number,
  firstSeq: number,
): PayloadErase | undefined {
  const standing = sessions
    .standingEvents(session, ["payload-erase"])
    .find(({ key }) => key === String(firstSeq));
  if (standing === undefined) return undefined;
  const batch = batches.startingAt(session, [standing.firstSeq]).get(standing.firstSeq);
  if (batch === undefined || sha256(batch.bytes) !== batch.hash) return undefined;
  const line = linesOf(batch).lines[standing.seq - standing.firstSeq];
  const event = line === undefined ? undefined : decodeEvent(line);
  return event?.type === "payload-erase" ? event : undefined;
}

/** All batches of a session in order, or those from the one with an event on. Each is verified first. */
export function* checkedBatches(
  database: EventDatabase,
  { id, name, nextSeq }: ReadSession,
  fromSeq = 0,
): Generator<JournalBatch> {
  const { batches } = database;
  let before = originOf(fromSeq === 0 ? undefined : batches.last(id, fromSeq + 1));
  while (before.firstSeq < nextSeq) {
    const chunk = batches.from(id, before.firstSeq);
    if (chunk.length === 0) throw brokenAt(name, before.firstSeq, "its end is missing");
    for (const batch of chunk) {
      const reason = bytesError(database, id, batch) ?? batchError(batch, batch.hash, before);
      if (reason !== undefined) throw brokenAt(name, batch.firstSeq, reason);
      if (batch.firstSeq >= nextSeq) return;
      yield batch;
      before = chainAfter(batch);
    }
  }
}

function* readAll(
  database: EventDatabase,
  session: ReadSession,
  query: JournalQuery,
): Generator<JournalEvent> {
  for (const batch of checkedBatches(database, session, query.fromSeq)) yield* eventsIn(batch, query);
}

function* readTurnEvents(
  database: EventDatabase,
  { id, name, nextSeq }: ReadSession,
  turn: string,
  query: JournalQuery,
): Generator<JournalEvent> {
  for (let from = 0; from < nextSeq; ) {
    const chunk = database.batches.ofTurn(id, turn, from);
    if (chunk.length === 0) return;
    for (const batch of chunk) {
      yield* eventsIn(checked(database, batch, { id, name, firstSeq: from }), query);
      from = (batch as JournalBatch).firstSeq + 1;
    }
  }
}

/** How many events one query searches. */
const WINDOW = 16_384;

/** What is known of a session that was verified, up to an event. */
export interface KnownTurns {
  readonly before: Pick<ChainOrigin, "firstSeq">;
  /** The first events of the batches of each turn; `undefined` if that is not known. */
  readonly turns: ReadonlyMap<string, readonly number[]> | undefined;
}

/**
 * The first event of a turn that the index of turns misses; `undefined` if it misses none. Searches the events
 * themselves, those that no verification has seen: an index that hides a turn would make it run a second time. What a
 * verification saw of the turn must still be in the index.
 */
export function* missedByIndex(
  { batches }: EventDatabase,
  { id, nextSeq }: ReadSession,
  turn: string,
  { turns, before }: KnownTurns,
): Generator<void, number | undefined> {
  const lost = turns?.get(turn)?.find((firstSeq) => !batches.isIndexed(id, turn, firstSeq));
  if (lost !== undefined) return lost;
  const stamp = new TextEncoder().encode(`,"turn":${JSON.stringify(turn)},"type":`);
  for (let from = turns === undefined ? 0 : before.firstSeq; from < nextSeq; from += WINDOW) {
    const missed = batches
      .mentioning(id, stamp, from, Math.min(from + WINDOW, nextSeq))
      .find(
        (batch) => !batches.isIndexed(id, turn, batch.firstSeq) && !eventsIn(batch, { turn }).next().done,
      );
    if (missed !== undefined) return missed.firstSeq;
    yield;
  }
  return undefined;
}

function* readStandingEvents(
  database: EventDatabase,
  { id, name }: ReadSession,
  query: JournalQuery,
): Generator<JournalEvent> {
  const { batches, sessions } = database;
  const standing = sessions.standingEvents(id, query.types);
  for (let from = 0; from < standing.length; from += CHUNK) {
    const chunk = standing.slice(from, from + CHUNK);
    const found = batches.startingAt(
      id,
      chunk.map(({ firstSeq }) => firstSeq),
    );
    let lines: readonly string[] = [];
    let linesFrom = -1;
    for (const { type, seq, firstSeq } of chunk) {
      if (firstSeq !== linesFrom)
        ({ lines } = linesOf(checked(database, found.get(firstSeq), { id, name, firstSeq })));
      linesFrom = firstSeq;
      const line = lines[seq - firstSeq];
      const event = line === undefined ? undefined : decodeEvent(line);
      if (event?.seq !== seq || event.type !== type)
        throw brokenAt(name, seq, "its index does not agree with its events");
      yield event;
    }
  }
}

/** Verifies the bytes of one batch. Only the whole chain shows whether it belongs here. */
function checked(
  database: EventDatabase,
  batch: JournalBatch | undefined,
  { id, name, firstSeq }: Pick<ReadSession, "id" | "name"> & { readonly firstSeq: number },
): JournalBatch {
  if (batch === undefined) throw brokenAt(name, firstSeq, "events are missing");
  const reason = bytesError(database, id, batch);
  if (reason !== undefined) throw brokenAt(name, batch.firstSeq, reason);
  return batch;
}
