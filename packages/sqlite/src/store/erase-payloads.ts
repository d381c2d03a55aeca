import { ErasedBatches, invalidOption } from "@toolkeep/core/internal";
import { rewriteBatches, sha256 } from "./batches.ts";
import { checkedBatches, type EventDatabase } from "./read-events.ts";
import type { SessionRow } from "./session-rows.ts";
import type { SqliteJournal } from "./sqlite-journal.ts";

/** What of a session is erased. */
export interface EraseOptions {
  /** Only the events of this call. Default: all calls. */
  readonly callId?: string;
  /** Who erases it, for the record. */
  readonly by?: string;
}

/** Replaces payloads by their hashes, and records it first: the chain stays whole if the process ends in between. */
export async function erasePayloads(
  database: EventDatabase,
  journal: SqliteJournal,
  session: SessionRow,
  { callId, by }: EraseOptions,
): Promise<readonly number[]> {
  assertFinished(database, session);
  const erasing = new ErasedBatches(sha256, callId);
  const erased = [...checkedBatches(database, session)].flatMap((batch) => erasing.of(batch));
  for (const { batch, bytes, events } of erased) {
    const { firstSeq, hash } = batch;
    const entry = { type: "payload-erase", firstSeq, hash, erased: sha256(bytes), events } as const;
    const { nextSeq } = journal.extent();
    journal.append(nextSeq, Date.now(), "", by === undefined ? entry : { ...entry, by });
  }
  await journal.flush();
  rewriteBatches(
    database.db,
    session.id,
    erased.map(({ batch, bytes }) => ({ firstSeq: batch.firstSeq, bytes })),
  );
  return erased.flatMap(({ events }) => events);
}

/** A turn that is resumed needs what it was asked for. */
function assertFinished({ sessions }: EventDatabase, { id, name }: SessionRow): void {
  const [open] = sessions.standingEvents(id, ["turn-start", "approval-request", "question-request"]);
  if (open === undefined) return;
  const message = `The session ${JSON.stringify(name)} has a turn that is not finished, or waits for an answer. Answer or cancel it first.`;
  throw invalidOption(message);
}
