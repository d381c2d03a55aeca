import { createHash } from "node:crypto";
import type { Database } from "../database/database.ts";
import type { PostgresClient } from "../database/pool.ts";
import { ADD, FIND, HOLD, HOLD_ALONE, RELEASED, REMOVE, TAKE, USED } from "./output-queries.ts";
import type { OutputStorage } from "./output-storage.ts";

/** An output of a call. */
export interface OutputReference {
  readonly sessionId: string;
  readonly callId: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** Everything that a session keeps, as in a folder. */
const QUOTA_BYTES = 1_024 * 1_024 * 1_024;
const MOST_AT_ONCE = 1_000;

/**
 * Which session refers to which output. A reference is written before the bytes are, and bytes are removed only while
 * no process can write them: so none are lost while a session refers to them, and none stay when no session does.
 */
export class OutputReferences {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** `false` when the session has kept too much already. */
  async add({ sessionId, callId, sha256, bytes, mediaType }: OutputReference): Promise<boolean> {
    const values = [sessionId, callId, sha256, bytes, mediaType, QUOTA_BYTES];
    return (await this.#database.query(ADD, values)).length > 0;
  }

  async has(sessionId: string, sha256: string): Promise<boolean> {
    return (await this.#database.query(FIND, [sessionId, sha256])).length > 0;
  }

  /** Removes the references of a session, or of one of its calls. */
  async remove(sessionId: string, callId?: string): Promise<void> {
    await this.#database.query(REMOVE, [sessionId, callId ?? null]);
  }

  /** Writes bytes that a reference names, unless they are there. */
  async store(storage: OutputStorage, sha256: string, bytes: Uint8Array): Promise<void> {
    await this.#holding(HOLD, sha256, async () => {
      if (!(await asked(storage.has(sha256)))) await asked(storage.put(sha256, bytes));
    });
  }

  /** Removes the bytes to which no session refers any more. What cannot be removed is tried again the next time. */
  async collect(storage: OutputStorage): Promise<void> {
    const released = await this.#database.query<{ readonly sha256: string }>(RELEASED, [MOST_AT_ONCE]);
    for (const { sha256 } of released)
      await this.#holding(HOLD_ALONE, sha256, async (client) => {
        if ((await this.#database.run(client, TAKE, [sha256])).length === 0) return;
        const isUsed = (await this.#database.run(client, USED, [sha256])).length > 0;
        if (!isUsed) await asked(storage.delete(sha256));
      });
  }

  #holding(how: string, sha256: string, work: (client: PostgresClient) => Promise<void>): Promise<void> {
    return this.#database.inTransaction(async (client) => {
      await this.#database.run(client, how, [this.#keyOf(sha256)]);
      await work(client);
    });
  }

  #keyOf(sha256: string): bigint {
    const name = `toolkeep ${this.#database.schema} output\n${sha256}`;
    return createHash("sha256").update(name).digest().readBigInt64BE(0);
  }
}

/** A storage that cannot be reached must not be taken for a database that cannot. */
async function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (cause) {
    throw new Error("the storage of outputs failed", { cause });
  }
}
