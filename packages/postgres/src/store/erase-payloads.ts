import { hash } from "node:crypto";
import type { ToolkeepError } from "@toolkeep/core";
import { type ErasedBatch, ErasedBatches, invalidOption } from "@toolkeep/core/internal";
import type { Database } from "../database/database.ts";
import type { PostgresJournal } from "./postgres-journal.ts";
import { EventReader } from "./read-events.ts";
import { UNTOUCHED } from "./session-write.ts";

/** What of a session is erased. */
export interface EraseOptions {
  /** Only the events of this call. Default: all calls. */
  readonly callId?: string;
  /** Who erases it, for the record. */
  readonly by?: string;
}

const REWRITE = "UPDATE @.batches SET bytes = $4 WHERE period = $1 AND session = $2 AND first_seq = $3";

const UNFINISHED = ["turn-start", "approval-request", "question-request"] as const;

/** Replaces payloads by their hashes, and records it first: the chain stays whole if the process ends in between. */
export async function erasePayloads(
  database: Database,
  journal: PostgresJournal,
  { callId, by }: EraseOptions,
): Promise<readonly number[]> {
  const { session } = journal;
  for await (const _ of journal.read({ types: UNFINISHED, standing: true })) throw unfinished(session.name);
  const erasing = new ErasedBatches((bytes) => hash("sha256", bytes), callId);
  const erased: ErasedBatch[] = [];
  for await (const batch of new EventReader(database).checked(session)) erased.push(...erasing.of(batch));
  for (const { batch, bytes, events } of erased) {
    const { firstSeq, hash: before } = batch;
    const erasedTo = hash("sha256", bytes);
    const entry = { type: "payload-erase", firstSeq, hash: before, erased: erasedTo, events } as const;
    journal.append(journal.extent().nextSeq, Date.now(), "", by === undefined ? entry : { ...entry, by });
  }
  await journal.flush();
  await database.inTransaction(async (client) => {
    for (const { batch, bytes } of erased)
      await database.run(client, REWRITE, [session.period, session.id, batch.firstSeq, Buffer.from(bytes)]);
    await database.run(client, UNTOUCHED);
  });
  return erased.flatMap(({ events }) => events);
}

/** A turn that is resumed needs what it was asked for. */
function unfinished(name: string): ToolkeepError {
  const message = `The session ${JSON.stringify(name)} has a turn that is not finished, or waits for an answer. Answer or cancel it first.`;
  return invalidOption(message);
}
