import type { Digest } from "../contract/values/digest.ts";

/** Some events that were flushed together, bound to everything before them. */
export interface JournalBatch {
  /** The number of the first event in it. */
  readonly firstSeq: number;
  readonly events: number;
  /** As UTF-8: the hash of the batch before, then one line of JSON for each event. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The hash of `bytes`. */
  readonly hash: string;
}

/** The hash before the first batch of a journal. */
export const CHAIN_START = "0".repeat(64);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Binds a batch to the one before it: its hash goes into the place that was left for it at the start. */
export function linkBatch(bytes: Uint8Array<ArrayBuffer>, previous: string): void {
  encoder.encodeInto(previous, bytes);
}

/** Whether the hash chain of a journal is intact, and where it is not. */
export type ChainVerdict =
  | {
      readonly intact: true;
      readonly head: string;
      readonly batches: number;
      /** How many events have no payload any more, because it was erased; missing for none. */
      readonly erased?: number;
    }
  /** The events before the number `event` are as they were written. */
  | {
      readonly intact: false;
      readonly batch: number;
      readonly event: number;
      readonly diagnostic: string;
    };

/** Where a chain begins. Other than at the beginning only where older batches were given up on purpose. */
export interface ChainOrigin {
  readonly previous: string;
  readonly firstSeq: number;
}

/**
 * Recomputes the chain. Proves that the batches belong together and none was changed, left out or
 * reordered; a rewrite of the whole, or a missing end, is exposed only by a head that was kept elsewhere.
 */
export async function verifyChain(
  batches: readonly JournalBatch[],
  digest: Digest,
  origin: ChainOrigin = { previous: CHAIN_START, firstSeq: 0 },
): Promise<ChainVerdict> {
  let before = origin;
  for (const [index, batch] of batches.entries()) {
    const diagnostic = batchError(batch, await digest(batch.bytes), before);
    if (diagnostic !== undefined) {
      return { intact: false, batch: index, event: before.firstSeq, diagnostic };
    }
    before = chainAfter(batch);
  }
  return { intact: true, head: before.previous, batches: batches.length };
}

/** What is wrong with a batch whose bytes really have this hash; `undefined` if it belongs where it stands. */
export function batchError(batch: JournalBatch, hash: string, before: ChainOrigin): string | undefined {
  if (hash !== batch.hash) return "its bytes were changed";
  if (!follows(batch, before.previous)) return "it does not follow the batch before it";
  return batch.firstSeq === before.firstSeq ? undefined : "events are missing before it";
}

/** Where the chain continues after a batch. */
export function chainAfter({ hash, firstSeq, events }: JournalBatch): ChainOrigin {
  return { previous: hash, firstSeq: firstSeq + events };
}

function follows({ bytes }: JournalBatch, previous: string): boolean {
  for (let index = 0; index < previous.length; index += 1) {
    if (bytes[index] !== previous.charCodeAt(index)) return false;
  }
  return bytes[previous.length] === NEW_LINE;
}

const NEW_LINE = 10;

/** Takes a batch apart again. */
export function linesOf(batch: JournalBatch): {
  readonly previous: string;
  readonly lines: readonly string[];
} {
  const [previous = "", ...lines] = decoder.decode(batch.bytes).split("\n");
  return { previous, lines: lines.filter((line) => line !== "") };
}
