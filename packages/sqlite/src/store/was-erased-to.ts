import { decodeEvent, type JournalBatch, linesOf } from "@toolkeep/core/journal";
import { type BatchRows, sha256 } from "./batches.ts";

interface ErasedBatch {
  readonly session: number;
  readonly batch: JournalBatch;
  /** The hash of the bytes that are there. */
  readonly found: string;
}

const MENTION = '"type":"payload-erase"';
const LAST = 2 ** 32 - 1;

/**
 * Whether an earlier erasure left these bytes in the batch: a process that ends between the record of the next erasure
 * and the erasure itself leaves them. It searches the events themselves, and only where the last erasure does not fit.
 */
export function wasErasedTo(batches: BatchRows, { session, batch, found }: ErasedBatch): boolean {
  return batches
    .mentioning(session, new TextEncoder().encode(MENTION), 0, LAST)
    .filter(({ bytes, hash }) => sha256(bytes) === hash)
    .flatMap((one) => linesOf(one).lines.filter((line) => line.includes(MENTION)))
    .map((line) => decodeEvent(line))
    .some(
      (event) =>
        event.type === "payload-erase" &&
        event.firstSeq === batch.firstSeq &&
        event.hash === batch.hash &&
        event.erased === found,
    );
}
