import { hash } from "node:crypto";
import type { SessionForget } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import type { PostgresClient } from "../database/pool.ts";
import { inUse } from "./claims.ts";
import { type RawSessionRow, type SessionRow, sessionColumns, toSession } from "./session-rows.ts";
import { UNTOUCHED } from "./session-write.ts";
import { appendToRecord } from "./store-record.ts";

const LOCK = `SELECT ${sessionColumns("s")}, s.active_at >= $2 OR coalesce(@.is_living(s.owner), false) AS "isInUse"
    FROM @.sessions s WHERE s.name = ANY ($1::text[]) ORDER BY s.id FOR UPDATE`;

/** Rows that have the session's number, and rows that have its name. */
const BY_ID = ["turns", "standing_events", "requests"];
const BY_NAME = ["pending", "inbox", "outputs"];

interface RemoveOptions {
  readonly why: SessionForget["why"];
  /** Those with later activity stay. Default: none. */
  readonly activeBefore?: number;
  /** The months of which every session is removed: their partitions are dropped instead of emptied. */
  readonly wholePeriods?: readonly number[];
}

/**
 * Removes everything the database has of some sessions, and records that, in one transaction. Those in use stay.
 * @throws ToolkeepError `session_in_use` when one session was asked for and it is in use.
 */
export function removeSessions(
  database: Database,
  names: readonly string[],
  { why, activeBefore = Number.POSITIVE_INFINITY, wholePeriods = [] }: RemoveOptions,
): Promise<readonly string[]> {
  return database.inTransaction(async (client) => {
    const rows = await database.run<RawSessionRow & { readonly isInUse: boolean }>(client, LOCK, [
      names,
      activeBefore,
    ]);
    const [only] = rows;
    if (names.length === 1 && only?.isInUse === true) throw inUse(only.name, "a process has it open");
    const sessions = rows.filter(({ isInUse }) => !isInUse).map(toSession);
    // One that was opened meanwhile keeps its partition.
    const dropped = wholePeriods.filter(
      (period) => !rows.some((row) => row.isInUse && row.period === period),
    );
    await removeRows(database, client, sessions, dropped);
    const entries = sessions.map(
      ({ name, nextSeq, head, activeAt }) =>
        ({ type: "session-forget", session: hash("sha256", name), why, nextSeq, head, activeAt }) as const,
    );
    await appendToRecord(database, client, entries);
    return sessions.map(({ name }) => name);
  });
}

async function removeRows(
  database: Database,
  client: PostgresClient,
  sessions: readonly SessionRow[],
  dropped: readonly number[],
): Promise<void> {
  await database.run(client, UNTOUCHED);
  const ids = sessions.map(({ id }) => id);
  const names = sessions.map(({ name }) => name);
  const run = (text: string, values: readonly unknown[]) =>
    client.query({ text: database.statement(text).text, values: [...values] });
  for (const table of BY_ID) await run(`DELETE FROM @.${table} WHERE session = ANY ($1::bigint[])`, [ids]);
  for (const table of BY_NAME) await run(`DELETE FROM @.${table} WHERE name = ANY ($1::text[])`, [names]);
  const kept = sessions.filter(({ period }) => !dropped.includes(period)).map(({ id }) => id);
  await run("DELETE FROM @.batches WHERE session = ANY ($1::bigint[])", [kept]);
  // A process that claimed one of them meanwhile can no longer write: there is no row to advance.
  await run("DELETE FROM @.sessions WHERE id = ANY ($1::bigint[])", [ids]);
  for (const period of dropped) await run(`DROP TABLE @.batches_${Number(period)}`, []);
}
