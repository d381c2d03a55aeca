import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { ProcessLocks } from "@toolkeep/core/internal";
import type { AcquireOptions, HeldLocks, SharedLocks } from "@toolkeep/core/journal";
import type { Owner } from "./owner.ts";

/** How often a process looks whether another one has given a lock back. */
const POLL_MS = 25;

const LOCK = "SELECT pg_try_advisory_lock($1::bigint) AS locked";
const UNLOCK = "SELECT pg_advisory_unlock($1::bigint)";

/**
 * Locks among the processes that have a store open, held by the connection of the owner: the server frees them when
 * that ends, and those who have them are told. Within a process they are given in the order they were asked for.
 */
export class AdvisoryLocks implements SharedLocks {
  readonly #owner: Owner;
  readonly #schema: string;
  readonly #within = new ProcessLocks();

  constructor(owner: Owner, schema: string) {
    this.#owner = owner;
    this.#schema = schema;
  }

  async acquire(names: readonly string[], options: AcquireOptions): Promise<HeldLocks | undefined> {
    const queued = await this.#within.acquire(names, options);
    if (queued === undefined) return undefined;
    const held: bigint[] = [];
    const { lost } = this.#owner;
    const release = async () => {
      // A connection that is gone has freed them already.
      for (const key of held.splice(0).toReversed())
        await this.#owner.run(UNLOCK, [key]).catch(() => undefined);
      await queued.release();
    };
    try {
      for (const name of names) {
        const key = this.#keyOf(name);
        if (!(await this.#isLocked(key, options))) break;
        held.push(key);
      }
      if (lost.aborted) throw new Error("the connection to the database is lost");
    } catch (error) {
      await release();
      throw error;
    }
    if (held.length === names.length) return { release, lost };
    await release();
    return undefined;
  }

  async #isLocked(key: bigint, { signal, wait = true }: AcquireOptions): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false;
      const [row] = await this.#owner.run<{ readonly locked: boolean }>(LOCK, [key]);
      if (row?.locked === true || !wait) return row?.locked === true;
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #keyOf(name: string): bigint {
    const digest = createHash("sha256").update(`toolkeep ${this.#schema}\n${name}`).digest();
    return digest.readBigInt64BE(0);
  }
}
