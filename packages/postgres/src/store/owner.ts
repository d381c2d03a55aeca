import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../database/database.ts";
import { heldLock } from "../database/held-lock.ts";
import type { PostgresClient } from "../database/pool.ts";

/** A random id: another role cannot hold its lock already. */
const REGISTER = `INSERT INTO @.owners (id, label, term) OVERRIDING SYSTEM VALUE
    VALUES (1 + floor(random() * 2147483646)::int, $1, make_interval(secs => $2))
    ON CONFLICT DO NOTHING RETURNING id`;

const RETURN = `INSERT INTO @.owners (id, label, term) OVERRIDING SYSTEM VALUE VALUES ($1, $2, make_interval(secs => $3))
    ON CONFLICT (id) DO UPDATE SET connected_at = clock_timestamp(), answered_at = clock_timestamp()`;

const LOCK = "SELECT pg_try_advisory_lock(@lock_class, $1) AS locked";

const ANSWER = "UPDATE @.owners SET answered_at = clock_timestamp() WHERE id = $1";

/** Owners that ended, and own no session any more. */
const REMOVE_ENDED = `DELETE FROM @.owners o WHERE o.id <> $1 AND NOT @.is_living(o.id)
    AND NOT EXISTS (SELECT FROM @.sessions s WHERE s.owner = o.id)`;

interface OwnerOptions {
  readonly termMs: number;
  /** Called with what another process tells. */
  onNotice(notice: string): void;
  /** Called when the connection was lost and is there again: notices may have been missed. */
  onReturn(): void;
}

const MOST_WAIT_MS = 500;
const MOST_IDS = 5;

/**
 * This process as the owner of sessions. It lives as long as its connection holds an advisory lock: nothing has to be
 * renewed, and the lock ends with the process. Whether it also reacts is asked only by a process that wants one of its
 * sessions. On the same connection it learns what others left for its sessions.
 */
export class Owner {
  readonly label = `process ${process.pid} on ${hostname()}`;
  readonly #database: Database;
  readonly #options: OwnerOptions;
  #id = 0;
  #client: PostgresClient | undefined;
  #lost = new AbortController();
  #isClosed = false;

  constructor(database: Database, options: OwnerOptions) {
    this.#database = database;
    this.#options = options;
  }

  get id(): number {
    return this.#id;
  }

  /** Aborts when the connection is lost that {@link run} uses now. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get #row(): readonly unknown[] {
    return [this.#id, this.label, this.#options.termMs / 1000];
  }

  async start(): Promise<void> {
    for (let tries = 1; this.#client === undefined; tries += 1) {
      const [row] = await this.#database.query<{ readonly id: number }>(REGISTER, this.#row.slice(1));
      this.#id = row?.id ?? 0;
      if (row !== undefined) await this.#connect(false);
      if (this.#client === undefined && tries === MOST_IDS) throw await heldLock(this.#database, this.#id);
    }
    try {
      await this.#database.query(REMOVE_ENDED, [this.#id]);
    } catch (error) {
      // A pool ends when all of its connections are given back.
      this.close();
      throw error;
    }
  }

  /** Runs a statement on the connection that ends with this process. */
  async run<Row>(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    if (this.#client === undefined) throw new Error("the connection to the database is lost");
    return this.#database.run<Row>(this.#client, sql, values);
  }

  close(): void {
    this.#isClosed = true;
    this.#lost.abort();
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #connect(isBack: boolean): Promise<void> {
    const client = await this.#database.connect();
    try {
      const ended = () => this.#ended(client);
      client.on("error", ended);
      client.on("end", ended);
      client.on("notification", ({ payload = "" }) => this.#receive(payload));
      await client.query({ text: `LISTEN "${this.#database.channel}"` });
      // The server may not have noticed yet that the connection before is gone.
      while (!(await this.#isLocked(client))) {
        if (this.#isClosed) throw new Error("the store is closed");
        // A new owner takes another id.
        if (!isBack) return client.release(true);
        await sleep(100);
      }
      if (isBack) await this.#database.run(client, RETURN, this.#row);
      if (this.#lost.signal.aborted) this.#lost = new AbortController();
      this.#client = client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async #isLocked(client: PostgresClient): Promise<boolean> {
    const [row] = await this.#database.run<{ readonly locked: boolean }>(client, LOCK, [this.#id]);
    return row?.locked === true;
  }

  #ended(client: PostgresClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#lost.abort();
    client.release(true);
    if (!this.#isClosed) void this.#comeBack();
  }

  async #comeBack(): Promise<void> {
    for (let wait = 20; !this.#isClosed; wait = Math.min(wait * 2, MOST_WAIT_MS)) {
      try {
        await this.#connect(true);
        if (this.#isClosed) return this.close();
        return this.#options.onReturn();
      } catch {
        await sleep(wait);
      }
    }
  }

  #receive(notice: string): void {
    // Without an answer it loses its sessions, which is right if the database cannot be reached.
    if (notice === `ask ${this.#id}`) this.#database.query(ANSWER, [this.#id]).catch(() => undefined);
    else this.#options.onNotice(notice);
  }
}
