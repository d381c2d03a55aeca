import pg from "pg";

interface Waiting {
  readonly session: number;
  readonly seq: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Kind {
  readonly name: string;
  readonly atOnce: number;
  readonly together: number;
  readonly statement: keyof typeof STATEMENTS;
}

const HASH = "0".repeat(64);
const EVENTS = `INSERT INTO bare.batches (session, first_seq, events, hash, turns, bytes)
  SELECT w.session, w.seq, 2, '${HASH}', 't' || w.seq, w.bytes
  FROM unnest($1::int[], $2::int[], $3::text[]) AS w(session, seq, bytes)`;
/** A call is two batches and one turn, and each batch moves its session. */
const STATEMENTS = {
  events: EVENTS,
  all: `WITH w AS (SELECT * FROM unnest($1::int[], $2::int[]) AS w(session, seq)), moved AS (
      UPDATE bare.sessions s SET next_seq = w.seq, head = '${HASH}', active_at = w.seq FROM w WHERE s.id = w.session
    ), begun AS (
      INSERT INTO bare.turns SELECT w.session, 't' || w.seq, w.seq FROM w WHERE w.seq % 2 = 0
    ) ${EVENTS}`,
};

/**
 * The first writes the rows of the store with its transactions and connections, and neither compares nor governs anything.
 * The others write the events alone: with the same transactions, and with one for each, as an application does that
 * shares none.
 */
export const BARE_KINDS: readonly Kind[] = [
  { name: "the same rows in the same transactions", atOnce: 2, together: 64, statement: "all" },
  { name: "the events alone in the same transactions", atOnce: 2, together: 64, statement: "events" },
  {
    name: "the events alone, a transaction each, 8 connections",
    atOnce: 8,
    together: 1,
    statement: "events",
  },
];

/** Writes rows of the same size as the store does, and does nothing else. */
export class BareWrites {
  readonly #clients: pg.Client[];
  readonly #bytes: string;
  readonly #kind: Kind;
  readonly #queue: Waiting[] = [];
  #isScheduled = false;
  #running = 0;
  commits = 0;

  private constructor(clients: pg.Client[], size: number, kind: Kind) {
    this.#clients = clients;
    this.#bytes = "x".repeat(size);
    this.#kind = kind;
  }

  get name(): string {
    return this.#kind.name;
  }

  static async open(url: string, size: number, kind: Kind): Promise<BareWrites> {
    const clients = Array.from({ length: kind.atOnce }, () => new pg.Client({ connectionString: url }));
    for (const client of clients) await client.connect();
    return new BareWrites(clients, size, kind);
  }

  /** Makes the tables that all of them write to. */
  static async prepare(url: string, sessions: number): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`CREATE SCHEMA bare;
      CREATE TABLE bare.sessions (id int PRIMARY KEY, next_seq bigint, head text, active_at double precision)
        WITH (fillfactor = 70);
      INSERT INTO bare.sessions SELECT n, 0, '${HASH}', 0 FROM generate_series(0, ${sessions - 1}) n;
      CREATE TABLE bare.turns (session bigint, turn text, first_seq bigint, PRIMARY KEY (session, turn));
      CREATE TABLE bare.batches (session bigint, first_seq bigint, events int, hash text, turns text, bytes text,
        PRIMARY KEY (session, first_seq))`);
    await client.end();
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
      void this.#insert(client, this.#queue.splice(0, this.#share()));
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  /** As the store does it: two transactions where there is enough for two. */
  #share(): number {
    const { together, atOnce } = this.#kind;
    const waiting = this.#queue.length;
    return Math.min(together, this.#running === 0 && waiting >= 16 ? Math.ceil(waiting / atOnce) : waiting);
  }

  async #insert(client: pg.Client, rows: readonly Waiting[]): Promise<void> {
    this.#running += 1;
    try {
      await client.query({
        name: this.#kind.statement,
        text: STATEMENTS[this.#kind.statement],
        values: [rows.map(({ session }) => session), rows.map(({ seq }) => seq), rows.map(() => this.#bytes)],
      });
      this.commits += 1;
      for (const { resolve } of rows) resolve();
    } catch (error) {
      for (const { reject } of rows) reject(error);
    } finally {
      this.#running -= 1;
      this.#clients.push(client);
      if (this.#queue.length > 0) this.#schedule();
    }
  }
}
