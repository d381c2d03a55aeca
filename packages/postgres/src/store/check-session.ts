import { BEGINNING } from "@toolkeep/core/internal";
import {
  batchError,
  type ChainVerdict,
  chainAfter,
  decodeEvent,
  extentAfter,
  type JournalBatch,
  type JournalEvent,
  linesOf,
  NO_EXTENT,
  StandingEvents,
} from "@toolkeep/core/journal";
import type { Database, Statement } from "../database/database.ts";
import { requestRow } from "./batch-index.ts";
import { CHUNK } from "./batch-rows.ts";
import { EventReader } from "./read-events.ts";
import { type RawSessionRow, type SessionRow, sessionColumns, toSession } from "./session-rows.ts";

const SESSION: Statement = {
  name: "session to check",
  text: `SELECT ${sessionColumns("s")} FROM @.sessions s WHERE s.name = $1`,
};

const INDEX: Statement = {
  name: "index to check",
  text: `SELECT
    (SELECT coalesce(json_agg(json_build_array(e.type, e.key, e.seq, e.first_seq)), '[]')
      FROM @.standing_events e WHERE e.session = $1) AS standing,
    (SELECT coalesce(json_agg(json_build_array(r.key, r.seq, r.asked_at, r.expires_at, r.request)), '[]')
      FROM @.requests r WHERE r.session = $1) AS requests,
    (SELECT coalesce(json_agg(json_build_array(t.turn, t.first_seq)), '[]') FROM @.turns t WHERE t.session = $1) AS turns`,
};

type Rows = readonly (readonly unknown[])[];

/** What the other tables must say, as far as the events were read. */
class Expected {
  before = BEGINNING;
  batches = 0;
  extent = NO_EXTENT;
  calls = 0;
  isClosed = false;
  openedAt: number | undefined;
  activeAt: number | undefined;
  readonly erased = new Map<number, number>();
  readonly turns = new Map<string, number>();
  readonly standing = new StandingEvents();
  readonly requests = new Map<string, readonly unknown[]>();
}

/**
 * Verifies everything that is kept of a session at one moment: every batch is unchanged and follows the one before,
 * nothing is missing at the end, and the index agrees with the events.
 */
export function checkSession(database: Database, name: string): Promise<ChainVerdict | undefined> {
  return database.inTransaction(async (client) => {
    const [row] = await database.run<RawSessionRow>(client, SESSION, [name]);
    if (row === undefined) return undefined;
    const session = toSession(row);
    const expected = new Expected();
    const diagnostic =
      (await eventsError(new EventReader(database, client), session, expected)) ??
      rowError(session, expected) ??
      indexError((await database.run<Index>(client, INDEX, [session.id]))[0], expected);
    const { batches, before, erased } = expected;
    if (diagnostic !== undefined)
      return { intact: false, batch: batches, event: before.firstSeq, diagnostic };
    const count = [...erased.values()].reduce((sum, one) => sum + one, 0);
    return { intact: true, head: before.previous, batches, ...(count === 0 ? {} : { erased: count }) };
  }, "REPEATABLE READ");
}

interface Index {
  readonly standing: Rows;
  readonly requests: Rows;
  readonly turns: Rows;
}

async function eventsError(
  reader: EventReader,
  session: SessionRow,
  expected: Expected,
): Promise<string | undefined> {
  for (;;) {
    const chunk = await reader.batches.from(session, expected.before.firstSeq);
    for (const batch of chunk) {
      const diagnostic =
        (await reader.bytesError(session, batch)) ??
        batchError(batch, batch.hash, expected.before) ??
        noteBatch(batch, session, expected);
      if (diagnostic !== undefined) return `at event ${batch.firstSeq}: ${diagnostic}`;
      expected.before = chainAfter(batch);
      expected.batches += 1;
    }
    if (chunk.length < CHUNK) return undefined;
  }
}

function noteBatch({ firstSeq, ...batch }: JournalBatch, session: SessionRow, expected: Expected) {
  const { lines } = linesOf({ firstSeq, ...batch });
  if (lines.length !== batch.events) return "it does not have as many events as it says";
  for (const [index, line] of lines.entries()) {
    const event = decodeEvent(line);
    if (event.seq !== firstSeq + index) return "its events are not numbered in order";
    noteEvent(event, firstSeq, expected);
    // A session that was copied or renamed still says whose record it is.
    if (event.type === "session-open" && event.sessionId !== session.name)
      return `it is the record of the session ${JSON.stringify(event.sessionId)}`;
  }
  return undefined;
}

function noteEvent(event: JournalEvent, firstSeq: number, expected: Expected): void {
  const { seq, at, turn } = event;
  expected.extent = extentAfter(expected.extent, event);
  if (!expected.turns.has(turn)) expected.turns.set(turn, firstSeq);
  expected.openedAt ??= at;
  expected.activeAt = Math.max(expected.activeAt ?? at, at);
  if (event.type === "call-end" || (event.type === "call-refuse" && event.code !== "duplicate_call"))
    expected.calls += 1;
  if (event.type === "session-close") expected.isClosed = true;
  if (event.type === "session-open") expected.isClosed = false;
  if (event.type === "payload-erase")
    expected.erased.set(event.firstSeq, (expected.erased.get(event.firstSeq) ?? 0) + event.events.length);
  for (const { kind, standingEvent } of expected.standing.note({ seq, turn, firstSeq, entry: event })) {
    if (kind === "drop") expected.requests.delete(standingEvent.key);
    else if ("request" in event) {
      const row = requestRow({ key: standingEvent.key, seq, at }, event.request);
      expected.requests.set(row.key, [row.key, seq, row.askedAt, row.expiresAt, row.request]);
    }
  }
}

function rowError(session: SessionRow, expected: Expected): string | undefined {
  const { before, extent, calls, isClosed } = expected;
  if (session.nextSeq !== before.firstSeq || session.head !== before.previous)
    return `its end is missing: it should reach to event ${session.nextSeq}, and reaches to ${before.firstSeq}`;
  const { openedAt = session.openedAt, activeAt = session.activeAt } = expected;
  const isSame =
    session.lastTurn === extent.lastTurn &&
    session.calls === calls &&
    session.isClosed === isClosed &&
    session.openedAt === openedAt &&
    session.activeAt === activeAt;
  return isSame
    ? undefined
    : "what the store says of it (calls, times, state) does not agree with its events";
}

function indexError(found: Index | undefined, { standing, requests, turns }: Expected): string | undefined {
  const rows = standing.all().map(({ type, key, seq, firstSeq }) => [type, key, seq, firstSeq]);
  const isSame =
    textOf(found?.standing) === textOf(rows) &&
    textOf(found?.requests) === textOf([...requests.values()]) &&
    textOf(found?.turns) === textOf([...turns]);
  return isSame ? undefined : "its index does not agree with its events";
}

function textOf(rows: Rows = []): string {
  return rows
    .map((row) => JSON.stringify(row))
    .toSorted()
    .join("\n");
}
