import { hash } from "node:crypto";
import { CHAIN_START, type JournalEntry, OpenBatch } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import type { PostgresClient } from "../database/pool.ts";
import { BY_NAME, type RawSessionRow, STORE_RECORD, toSession } from "./session-rows.ts";
import { COMMIT, commitValues, type SessionWrite } from "./session-write.ts";

/** Its batches are in the partition that is never dropped. */
const CREATE = `INSERT INTO @.sessions (name, period, opened_at, active_at, head) VALUES ($1, 0, 0, 0, $2)
    ON CONFLICT (name) DO NOTHING`;

/**
 * Adds to the record of the store itself, within a transaction. It is chained as those of sessions are, and says which
 * sessions were removed and which approvals projects have.
 */
export async function appendToRecord(
  database: Database,
  client: PostgresClient,
  entries: readonly JournalEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await database.run(client, CREATE, [STORE_RECORD, CHAIN_START]);
  const [raw] = await database.run<RawSessionRow>(client, `${BY_NAME} FOR UPDATE`, [STORE_RECORD]);
  if (raw === undefined) throw new Error("the record of the store was removed");
  const row = toSession(raw);
  const batch = new OpenBatch({ nextSeq: row.nextSeq, lastTurn: row.lastTurn });
  for (const entry of entries) batch.append(batch.extent.nextSeq, Date.now(), "", entry);
  const bytes = batch.encode(row.head);
  const write: SessionWrite = {
    session: row,
    ...{ epoch: row.epoch, firstSeq: batch.firstSeq, nextSeq: batch.extent.nextSeq, bytes },
    ...{
      previous: row.head,
      head: hash("sha256", bytes),
      lastTurn: 0,
      calls: 0,
      isClosed: null,
      isLast: false,
    },
    ...{ openedAt: batch.firstAt ?? 0, activeAt: batch.lastAt, turns: [""], newTurns: [""] },
    ...{ sets: [], drops: [], asks: [], puts: [], removes: [] },
  };
  await database.run(client, COMMIT, commitValues([write]));
}
