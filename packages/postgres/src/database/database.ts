import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { invalidOption } from "@toolkeep/core/internal";
import { isConflict, isConnectionError } from "./connection-errors.ts";
import type { PostgresClient, PostgresPool } from "./pool.ts";

interface DatabaseOptions {
  readonly pool: PostgresPool;
  readonly schema: string;
  /** How long a database that does not answer is waited for. */
  readonly patienceMs: number;
}

const SCHEMA = /^[a-z_][a-z0-9_]{0,47}$/;

/** The schema of a store in a database, and the connections to it. */
export class Database {
  readonly schema: string;
  readonly patienceMs: number;
  /** The first half of the key of every advisory lock of this schema. */
  readonly lockClass: number;
  /** Where processes tell each other what they left for sessions. */
  readonly channel: string;
  readonly #pool: PostgresPool;
  readonly #known = new WeakSet<PostgresClient>();
  readonly #statements = new Map<string, { readonly name: string; readonly text: string }>();

  constructor({ pool, schema, patienceMs }: DatabaseOptions) {
    if (!SCHEMA.test(schema)) {
      const message = `The schema ${JSON.stringify(schema)} cannot be used. Choose a name of lower-case letters, digits and \`_\`, such as "toolkeep".`;
      throw invalidOption(message);
    }
    this.schema = schema;
    this.patienceMs = patienceMs;
    this.lockClass = Number.parseInt(hash("sha256", `toolkeep ${schema}`).slice(0, 7), 16);
    this.channel = `toolkeep_${schema}`;
    this.#pool = pool;
  }

  /** A statement for this schema, for which `@.` stands. Its name is made of its text, so no two share one. */
  statement(sql: string): { readonly name: string; readonly text: string } {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const text = sql.replaceAll("@.", `"${this.schema}".`).replaceAll("@lock_class", String(this.lockClass));
    // PostgreSQL cuts names after 63 bytes.
    const made = { name: `toolkeep ${hash("sha256", text).slice(0, 32)}`, text };
    this.#statements.set(sql, made);
    return made;
  }

  /** Asks for a connection of its own, which the caller releases. */
  async connect(): Promise<PostgresClient> {
    const client = await this.#pool.connect();
    // Without a listener a connection that breaks while it is not used would end the process.
    if (!this.#known.has(client)) client.on("error", () => undefined);
    this.#known.add(client);
    return client;
  }

  /** Runs one statement. While the database does not answer, it is sent again: it must do no harm to run it twice. */
  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#patiently((client) => this.run<Row>(client, sql, values));
  }

  /** Runs one statement on a connection. */
  async run<Row>(client: PostgresClient, sql: string, values: readonly unknown[] = []) {
    const { rows } = await client.query({ ...this.statement(sql), values: [...values] });
    return rows as readonly Row[];
  }

  /** Writes everything or nothing. It is tried again where that does no harm: nothing was committed, or `work` may run twice. */
  async inTransaction<Result>(
    work: (client: PostgresClient) => Promise<Result>,
    isolation: "READ COMMITTED" | "REPEATABLE READ" = "READ COMMITTED",
  ): Promise<Result> {
    return this.#patiently(async (client) => {
      // Every role that may connect can hold an advisory lock, so waiting for a lock must end.
      const most = Math.ceil(this.patienceMs);
      await client.query({ text: `BEGIN ISOLATION LEVEL ${isolation}; SET LOCAL lock_timeout = ${most}` });
      try {
        const result = await work(client);
        await client.query({ text: "COMMIT" });
        return result;
      } catch (error) {
        if (!isConnectionError(error)) await client.query({ text: "ROLLBACK" });
        throw error;
      }
    });
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #patiently<Result>(work: (client: PostgresClient) => Promise<Result>): Promise<Result> {
    const until = Date.now() + this.patienceMs;
    for (let wait = 20; ; wait = Math.min(wait * 2, 500)) {
      try {
        return await this.#once(work);
      } catch (error) {
        if (!(isConnectionError(error) || isConflict(error)) || Date.now() + wait > until) throw error;
      }
      await sleep(wait);
    }
  }

  async #once<Result>(work: (client: PostgresClient) => Promise<Result>): Promise<Result> {
    const client = await this.connect();
    let isBroken = false;
    try {
      return await work(client);
    } catch (error) {
      isBroken = isConnectionError(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  }
}
