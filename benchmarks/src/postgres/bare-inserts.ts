import pg from "pg";

interface Waiting {
  readonly session: number;
  readonly seq: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const AT_ONCE = 2;

/** Inserts rows of the same size with as many commits as the store makes, and does nothing else. */
export class BareInserts {
  readonly #clients: pg.Client[];
  readonly #bytes: string;
  #queue: Waiting[] = [];
  #isScheduled = false;
  commits = 0;

  private constructor(clients: pg.Client[], size: number) {
    this.#clients = clients;
    this.#bytes = "x".repeat(size);
  }

  static async open(url: string, size: number): Promise<BareInserts> {
    const clients = Array.from({ length: AT_ONCE }, () => new pg.Client({ connectionString: url }));
    for (const client of clients) await client.connect();
    await clients[0]?.query(
      "CREATE TABLE bare (session int, seq int, bytes text, PRIMARY KEY (session, seq))",
    );
    return new BareInserts(clients, size);
  }

  write(session: number, seq: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ session, seq, resolve, reject });
      this.#schedule();
    });
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.end();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#clients.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const client = this.#queue.length === 0 ? undefined : this.#clients.pop();
      if (client === undefined) return;
      void this.#insert(client, this.#queue.splice(0, 64));
    });
  }

  async #insert(client: pg.Client, rows: readonly Waiting[]): Promise<void> {
    try {
      await client.query({
        name: "insert",
        text: "INSERT INTO bare SELECT * FROM unnest($1::int[], $2::int[], $3::text[])",
        values: [rows.map(({ session }) => session), rows.map(({ seq }) => seq), rows.map(() => this.#bytes)],
      });
      this.commits += 1;
      for (const { resolve } of rows) resolve();
    } catch (error) {
      for (const { reject } of rows) reject(error);
    } finally {
      this.#clients.push(client);
      if (this.#queue.length > 0) this.#schedule();
    }
  }
}
