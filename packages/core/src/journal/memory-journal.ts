import type { Digest } from "../contract/digest.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { JournalEntry, JournalEvent } from "../contract/event.ts";
import type { Journal, JournalExtent, JournalQuery } from "../contract/journal.ts";
import {
  CHAIN_START,
  type ChainOrigin,
  type ChainVerdict,
  type JournalBatch,
  linesOf,
  linkBatch,
  verifyChain,
} from "./chain.ts";
import { decodeEvent, writeEvent } from "./encode-event.ts";
import { extentAfter, matchesQuery, NO_EXTENT } from "./matches-query.ts";
import { webDigest } from "./web-digest.ts";

/** Options of `memoryJournal`. */
export interface MemoryJournalOptions {
  readonly digest?: Digest;
  /** How much is kept at least, in bytes. Older events are dropped; the chain continues over them. Default: 16 MB. */
  readonly keepBytes?: number;
  /** How many events make a batch. */
  readonly batchEvents?: number;
}

/** A journal in memory: chained like the others, bounded in size. */
export interface MemoryJournal extends Journal {
  /** All batches that are kept, hashed up to the last event. */
  batches(): Promise<readonly JournalBatch[]>;
  verify(): Promise<ChainVerdict>;
  /** How many events were given up to stay within `keepBytes`. */
  readonly droppedEvents: number;
}

/** Batches that may wait for their digest before calls have to wait too. */
const LONGEST_BACKLOG = 16;

/** A journal in memory, for tests and as the default of a session. */
export function memoryJournal(options: MemoryJournalOptions = {}): MemoryJournal {
  const { digest = webDigest, keepBytes = 16 * 1024 * 1024, batchEvents = 256 } = options;
  const kept = new KeptBatches(keepBytes);
  let open: OpenEvent[] = [];
  let signing: Promise<string> = Promise.resolve(CHAIN_START);
  let halfway: Promise<void> = Promise.resolve();
  let waiting = 0;
  /** Set when the chain could not be continued: nothing is accepted as durable any more. */
  let error: ToolkeepError | undefined;

  /** Writes a whole batch at once: text that is put together and used up in one go costs the collector least. */
  function signature(): void {
    const [first] = open;
    if (first === undefined) return;
    const counted = { firstSeq: first.seq, events: open.length };
    const bytes = encodeBatch(open);
    open = [];
    waiting += 1;
    signing = signing.then(async (previous) => {
      linkBatch(bytes, previous);
      const hash = await digest(bytes);
      waiting -= 1;
      kept.add({ ...counted, bytes, hash });
      return hash;
    });
    if (waiting % (LONGEST_BACKLOG / 2) === 0) halfway = signing.then(ignore, ignore);
    signing.catch((cause: unknown) => {
      error ??= new ToolkeepError("journal_broken", "The journal could not be hashed: its digest failed.", {
        cause,
      });
    });
  }

  async function settled(): Promise<readonly JournalBatch[]> {
    signature();
    await signing;
    return [...kept.batches];
  }

  async function* read(query?: JournalQuery): AsyncGenerator<JournalEvent> {
    for (const batch of await settled()) {
      for (const line of linesOf(batch).lines) {
        const event = decodeEvent(line);
        if (matchesQuery(event, query)) yield event;
      }
    }
  }

  return {
    append(seq: number, at: number, turn: string, entry: JournalEntry) {
      open.push({ seq, at, turn, entry });
      if (open.length >= batchEvents) signature();
    },
    // Memory is as durable as it gets; only a backlog of batches without a hash is waited for, and of that the older half.
    flush() {
      if (error !== undefined) return Promise.reject(error);
      return waiting > LONGEST_BACKLOG ? halfway : undefined;
    },
    read,
    // Counted when it is asked for, which is when a session opens; appends are on the path of every call.
    async extent() {
      let extent: JournalExtent = NO_EXTENT;
      for await (const event of read()) extent = extentAfter(extent, event);
      return extent;
    },
    batches: settled,
    verify: async () => verifyChain(await settled(), digest, kept.origin),
    get droppedEvents() {
      return kept.droppedEvents;
    },
  };
}

/** The newest batches, up to a size; what is older is given up and counted. */
class KeptBatches {
  readonly batches: JournalBatch[] = [];
  readonly #mostBytes: number;
  #bytes = 0;
  droppedEvents = 0;
  /** Where the chain of what is kept begins. */
  origin: ChainOrigin | undefined;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  add(batch: JournalBatch): void {
    this.batches.push(batch);
    this.#bytes += batch.bytes.length;
    while (this.#bytes > this.#mostBytes && this.batches.length > 1) {
      const oldest = this.batches.shift() as JournalBatch;
      this.#bytes -= oldest.bytes.length;
      this.droppedEvents += oldest.events;
      this.origin = { previous: oldest.hash, firstSeq: oldest.firstSeq + oldest.events };
    }
  }
}

interface OpenEvent {
  readonly seq: number;
  readonly at: number;
  readonly turn: string;
  readonly entry: JournalEntry;
}

/** The bytes of a batch, with space at the start for the hash of the batch before. */
function encodeBatch(events: readonly OpenEvent[]): Uint8Array<ArrayBuffer> {
  const sink = { text: `${CHAIN_START}\n`, add };
  for (const { seq, at, turn, entry } of events) writeEvent(sink, seq, at, turn, entry);
  return new TextEncoder().encode(sink.text);
}

function add(this: { text: string }, piece: string): void {
  this.text += piece;
}

/** The backlog is waited for and its failure is ignored: the next flush reports it. */
function ignore(): void {}
