import { randomBytes, randomUUID } from "node:crypto";
import type {
  ChainVerdict,
  JournalBatch,
  JournalEntry,
  JournalEvent,
  JournalExtent,
  JournalQuery,
  OpenJournal,
} from "@toolkeep/core/journal";
import { openPostgresStore, type PostgresStore } from "@toolkeep/postgres";
import { inject } from "vitest";
import { verifyChain } from "../../../packages/core/src/journal/chain.ts";
import {
  memoryJournal as inMemory,
  type MemoryJournal,
  type MemoryJournalOptions,
} from "../../../packages/core/src/journal/memory-journal.ts";
import { webDigest } from "../../../packages/core/src/journal/web-digest.ts";
import { newSchema } from "../test-schema.ts";

let opening: Promise<PostgresStore> | undefined;

/** One store for all tests of a worker. */
function theStore(): Promise<PostgresStore> {
  const keys = [{ id: "k", secret: randomBytes(32) }];
  opening ??= openPostgresStore({ url: inject("postgresUrl"), schema: newSchema(), keys });
  return opening;
}

/** In the place of the journal in memory: one on PostgreSQL, unless a test asks for what only memory has. */
export function memoryJournal(options: MemoryJournalOptions = {}): MemoryJournal {
  const isPlain = Object.keys(options).length === 0 && inject("postgresUrl") !== "";
  return isPlain ? new LazyJournal() : inMemory(options);
}

/** Opens its session when it is first looked at: a journal in memory is there at once. */
class LazyJournal implements MemoryJournal {
  readonly droppedEvents = 0;
  readonly #id = randomUUID();
  /** What was appended before it was open. */
  readonly #early: Parameters<OpenJournal["append"]>[] = [];
  #opening: Promise<OpenJournal> | undefined;
  #journal: OpenJournal | undefined;

  append(seq: number, at: number, turn: string, entry: JournalEntry): void {
    if (this.#journal === undefined) {
      this.#early.push([seq, at, turn, entry]);
      return;
    }
    // Tests leave a session as a killed process does, and open another one on the same journal. What the first one
    // still writes would be refused.
    const { nextSeq } = this.#journal.extent() as JournalExtent;
    if (seq >= nextSeq) this.#journal.append(seq, at, turn, entry);
  }

  flush(): Promise<void> | undefined {
    return this.#journal?.flush();
  }

  async *read(query?: JournalQuery): AsyncGenerator<JournalEvent> {
    yield* (await this.#open()).read(query);
  }

  async extent(): Promise<JournalExtent> {
    return (await this.#open()).extent();
  }

  async batches(): Promise<readonly JournalBatch[]> {
    await this.#journal?.flush();
    return Array.fromAsync((await theStore()).batches(this.#id));
  }

  async verify(): Promise<ChainVerdict> {
    return verifyChain(await this.batches(), webDigest);
  }

  async #open(): Promise<OpenJournal> {
    this.#opening ??= theStore().then((store) => store.open(this.#id));
    this.#journal = await this.#opening;
    for (const early of this.#early.splice(0)) this.#journal.append(...early);
    return this.#journal;
  }
}
