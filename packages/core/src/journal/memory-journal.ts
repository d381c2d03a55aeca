import type { JournalEntry, JournalEvent } from "../contract/store/event.ts";
import type { Journal, JournalExtent, JournalQuery } from "../contract/store/store.ts";
import type { Digest } from "../contract/values/digest.ts";
import { ToolkeepError } from "../contract/values/error.ts";
import {
  CHAIN_START,
  type ChainOrigin,
  type ChainVerdict,
  type JournalBatch,
  linkBatch,
  verifyChain,
} from "./chain.ts";
import { decodeEvent } from "./encode-event.ts";
import { type KeptEvent, KeptEvents } from "./kept-events.ts";
import { extentAfter, NO_EXTENT } from "./matches-query.ts";
import { setRawAppender } from "./raw-entries.ts";
import { webDigest } from "./web-digest.ts";

/** Options of `memoryJournal`. */
export interface MemoryJournalOptions {
  readonly digest?: Digest;
  /** About how much memory the kept events may take, in bytes. Older events are dropped, and a turn that waits since then can no longer be answered. Default: 16 MB. */
  readonly keepBytes?: number;
  /** How many events make a batch. */
  readonly batchEvents?: number;
}

/** A journal in memory, bounded in size. Only the process itself can change it, so it is chained when it is handed out. */
export interface MemoryJournal extends Journal {
  /**
   * All batches that are kept, chained up to the last event. Events that were dropped before are in no batch.
   * @throws ToolkeepError `journal_broken` when the digest fails.
   */
  batches(): Promise<readonly JournalBatch[]>;
  verify(): Promise<ChainVerdict>;
  /** How many events were given up to stay within `keepBytes`. */
  readonly droppedEvents: number;
}

/** A journal in memory, for tests and as the default of a session. */
export function memoryJournal(options: MemoryJournalOptions = {}): MemoryJournal {
  const { digest = webDigest, keepBytes = 16 * 1024 * 1024, batchEvents = 256 } = options;
  const kept = new KeptEvents(keepBytes, batchEvents);
  const chain = new Chain(digest);

  async function* read(query?: JournalQuery): AsyncGenerator<JournalEvent> {
    for (const { line } of kept.matching(query)) yield decodeEvent(line);
  }

  const journal: MemoryJournal = {
    append(seq: number, at: number, turn: string, entry: JournalEntry) {
      kept.add(seq, at, turn, entry);
    },
    // Memory is as durable as it gets.
    flush: () => undefined,
    read,
    // Counted when it is asked for, which is when a session opens; appends are on the path of every call.
    async extent() {
      return kept.matching().reduce<JournalExtent>(extentAfter, NO_EXTENT);
    },
    batches: () => chain.over(kept.inGroups()),
    verify: async () => verifyChain(await chain.over(kept.inGroups()), digest, chain.origin),
    get droppedEvents() {
      return kept.droppedEvents;
    },
  };
  setRawAppender(journal, (seq, at, turn, entry, redact) => kept.add(seq, at, turn, entry, redact));
  return journal;
}

interface Link {
  readonly batch: JournalBatch;
  /** The hash of the batch before it. */
  readonly previous: string;
}

/** Links events into batches. A batch that was handed out once stays as it is. */
class Chain {
  readonly #digest: Digest;
  #links: Link[] = [];
  /** The hash of the last batch, and the first event after it. */
  #head = CHAIN_START;
  #nextSeq = 0;
  #linking: Promise<readonly JournalBatch[]> = Promise.resolve([]);

  constructor(digest: Digest) {
    this.#digest = digest;
  }

  /** Where the batches that are kept begin. */
  get origin(): ChainOrigin | undefined {
    const [first] = this.#links;
    return first && { previous: first.previous, firstSeq: first.batch.firstSeq };
  }

  /** The batches of the kept events. One look after the other: each continues where the last one ended. */
  over(groups: readonly (readonly KeptEvent[])[]): Promise<readonly JournalBatch[]> {
    const link = () => this.#link(groups);
    this.#linking = this.#linking.then(link, link);
    return this.#linking;
  }

  async #link(groups: readonly (readonly KeptEvent[])[]): Promise<readonly JournalBatch[]> {
    const firstSeq = groups[0]?.[0]?.seq ?? 0;
    this.#links = this.#links.filter(({ batch }) => batch.firstSeq >= firstSeq);
    for (const group of groups) {
      const events = group.filter(({ seq }) => seq >= this.#nextSeq);
      if (events.length > 0) await this.#append(events);
    }
    return this.#links.map(({ batch }) => batch);
  }

  async #append(events: readonly KeptEvent[]): Promise<void> {
    const [first] = events as readonly [KeptEvent, ...KeptEvent[]];
    const text = events.map(({ line }) => line).join("");
    const bytes = new TextEncoder().encode(`${CHAIN_START}\n${text}`);
    const previous = this.#head;
    linkBatch(bytes, previous);
    const hash = await this.#hashOf(bytes);
    const batch = { firstSeq: first.seq, events: events.length, bytes, hash };
    this.#links.push({ batch, previous });
    this.#head = hash;
    this.#nextSeq = first.seq + events.length;
  }

  async #hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    try {
      return await this.#digest(bytes);
    } catch (cause) {
      const message = "The journal could not be hashed: its digest failed.";
      throw new ToolkeepError("journal_broken", message, { cause });
    }
  }
}
