import { type AccountListener, SessionAccount } from "@toolkeep/core/internal";
import type { ChainVerdict } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import { requestRow } from "./batch-index.ts";
import { CHUNK } from "./batch-rows.ts";
import { EventReader } from "./read-events.ts";
import { INDEX } from "./session-queries.ts";
import { BY_NAME, type RawSessionRow, type SessionRow, toSession } from "./session-rows.ts";

type Rows = readonly (readonly unknown[])[];

/** What the other tables must say, as far as the events were read. */
class Expected extends SessionAccount implements AccountListener {
  readonly turns = new Map<string, number>();
  readonly requests = new Map<string, readonly unknown[]>();

  noteTurns(turns: ReadonlySet<string>, firstSeq: number): undefined {
    for (const turn of turns) if (!this.turns.has(turn)) this.turns.set(turn, firstSeq);
  }

  noteChanges(...[changes, event]: Parameters<NonNullable<AccountListener["noteChanges"]>>): void {
    for (const { kind, standingEvent } of changes) {
      if (kind === "drop") this.requests.delete(standingEvent.key);
      else if ("request" in event) {
        const { key, seq, askedAt, expiresAt, request } = requestRow(
          { ...event, key: standingEvent.key },
          event.request,
        );
        this.requests.set(key, [key, seq, askedAt, expiresAt, request]);
      }
    }
  }
}

/**
 * Verifies everything that is kept of a session at one moment: every batch is unchanged and follows the one before,
 * nothing is missing at the end, and the index agrees with the events.
 */
export function checkSession(database: Database, name: string): Promise<ChainVerdict | undefined> {
  return database.inTransaction(async (client) => {
    const [row] = await database.run<RawSessionRow>(client, BY_NAME, [name]);
    if (row === undefined) return undefined;
    const session = toSession(row);
    const expected = new Expected();
    const diagnostic =
      (await eventsError(new EventReader(database, client), session, expected)) ??
      expected.endError(session) ??
      expected.rowError(session) ??
      indexError((await database.run<Index>(client, INDEX, [session.id]))[0], expected);
    return expected.verdict(diagnostic);
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
      const changed = await reader.bytesError(session, batch);
      const diagnostic = expected.take(batch, session.name, changed, expected);
      if (diagnostic !== undefined) return diagnostic;
    }
    if (chunk.length < CHUNK) return undefined;
  }
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
