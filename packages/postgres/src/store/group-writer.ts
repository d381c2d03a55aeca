import { isConnectionError } from "../database/connection-errors.ts";
import type { Database } from "../database/database.ts";
import type { PostgresClient } from "../database/pool.ts";
import { COMMIT, commitValues, movedIn, type SessionWrite } from "./session-write.ts";

/** A session that has something to write. It is asked for that when its turn comes: what came meanwhile goes along. */
export interface WriteSource {
  take(): SessionWrite | undefined;
  /** It was committed; `news` counts what was sent to the session. */
  written(news: string): void;
  /** Nothing was written: the session is not as the writer knows it. */
  refused(): void;
  /** It is not known whether it was written. */
  failed(error: unknown): void;
}

interface Taken {
  readonly source: WriteSource;
  readonly write: SessionWrite;
}

/** How many commits are on their way at once, and how many sessions share one. */
const MOST_AT_ONCE = 2;
const MOST_TOGETHER = 64;
/** So many make two commits: while the database writes one half, this process works on the other. */
const LEAST_SPLIT = 16;

/** Plans that suit a table that is small now would not suit it later. */
const SETTINGS = `SELECT set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
    set_config('enable_mergejoin', 'off', false), set_config('plan_cache_mode', 'force_generic_plan', false),
    set_config('jit', 'off', false)`;

/** Writes what all sessions of this process flush at about the same time with one commit. */
export class GroupWriter {
  readonly #database: Database;
  /** Connections of its own. */
  readonly #free: PostgresClient[] = [];
  readonly #queue: WriteSource[] = [];
  #running = 0;
  #isScheduled = false;
  /** For benchmarks and tests. */
  commits = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  add(source: WriteSource): void {
    this.#queue.push(source);
    this.#schedule();
  }

  close(): void {
    for (const client of this.#free.splice(0)) client.release(true);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running >= MOST_AT_ONCE) return;
    this.#isScheduled = true;
    // Sessions that flush in the same tick share a commit.
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#queue.length === 0 || this.#running >= MOST_AT_ONCE) return;
      void this.#run(this.#queue.splice(0, this.#share()));
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  /** How many sessions go along with the next commit. */
  #share(): number {
    const waiting = this.#queue.length;
    // All in one commit would then all wait for it at once, and this process with them.
    const isSplit = this.#running === 0 && waiting >= LEAST_SPLIT;
    return Math.min(MOST_TOGETHER, isSplit ? Math.ceil(waiting / MOST_AT_ONCE) : waiting);
  }

  async #run(group: readonly WriteSource[]): Promise<void> {
    this.#running += 1;
    const taken = group.flatMap(takenFrom);
    try {
      if (taken.length > 0) await this.#write(taken);
    } finally {
      this.#running -= 1;
      if (this.#queue.length > 0) this.#schedule();
    }
  }

  async #write(taken: readonly Taken[]): Promise<void> {
    try {
      await this.#commit(taken);
    } catch (error) {
      // What is wrong with one session must not fail the others.
      const isShared = taken.length === 1 || isConnectionError(error);
      if (!isShared) for (const one of taken) await this.#write([one]);
      else for (const { source } of taken) source.failed(error);
    }
  }

  async #commit(taken: readonly Taken[]): Promise<void> {
    const client = this.#free.pop() ?? (await this.#connected());
    let moved: ReadonlyMap<string, string>;
    try {
      const values = commitValues(taken.map(({ write }) => write));
      const [row] = await this.#database.run<{ readonly told: string }>(client, COMMIT, values);
      moved = movedIn(row?.told ?? "");
      this.#free.push(client);
    } catch (error) {
      if (isConnectionError(error)) client.release(true);
      else this.#free.push(client);
      throw error;
    }
    this.commits += 1;
    for (const { source, write } of taken) {
      const news = moved.get(write.session.id);
      if (news === undefined) source.refused();
      else source.written(news);
    }
  }

  async #connected(): Promise<PostgresClient> {
    const client = await this.#database.connect();
    try {
      await this.#database.run(client, SETTINGS);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

/** What cannot be written down fails its own session, and no other. */
function takenFrom(source: WriteSource): readonly Taken[] {
  try {
    const write = source.take();
    return write === undefined ? [] : [{ source, write }];
  } catch (error) {
    source.failed(error);
    return [];
  }
}
