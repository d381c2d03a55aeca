import type { SessionStore } from "@toolkeep/core";
import type {
  ChainVerdict,
  JournalBatch,
  JournalEvent,
  JournalQuery,
  SessionsQuery,
  StoredSession,
} from "@toolkeep/core/journal";
import type { PostgresPool } from "../database/pool.ts";
import type { OutputStorage } from "../outputs/output-storage.ts";
import type { EraseOptions } from "./erase-payloads.ts";
import type { EncryptionKey } from "./key-ring.ts";
import type { StoredApprovals } from "./project-approvals.ts";
import type { PostgresStatus } from "./store-status.ts";
import type { SweepOptions } from "./sweep-sessions.ts";

/** Options of `openPostgresStore`. */
export interface PostgresStoreOptions {
  /** Where the database is: `postgres://user:password@host:5432/database`. Either this or `pool`. */
  readonly url?: string;
  /** A `Pool` of `pg`. The store keeps up to three of its connections, so it needs at least four. It does not end the pool. */
  readonly pool?: PostgresPool;
  /** The schema of the tables, which is created if it does not exist. Default: `toolkeep`. */
  readonly schema?: string;
  /** The first key encrypts; the others decrypt what was encrypted before it was the first. */
  readonly keys: readonly EncryptionKey[];
  /**
   * How long this process may leave the question of another one whether it still reacts without an answer. Then the
   * other one may take its sessions. Default: 30,000.
   */
  readonly termMs?: number;
  /** How long a database that does not answer is waited for before a session fails. Default: 30,000. */
  readonly patienceMs?: number;
  /**
   * Where output that is too large for a result is kept, for all processes: `folderOutputs` or `s3Outputs` of
   * `@toolkeep/postgres/outputs`. Default: in the memory of the process that has the session open.
   */
  readonly outputs?: OutputStorage;
}

/**
 * The store that `openPostgresStore` returns: a `SessionStore` in a PostgreSQL database, with what programs need to
 * list, read and verify sessions. Any number of processes may have it open.
 */
export interface PostgresStore extends SessionStore {
  /** The sessions of the store, latest activity first. */
  sessions(query?: SessionsQuery): Promise<readonly StoredSession[]>;
  /** The events of a session, also while a process writes to it. */
  events(sessionId: string, query?: JournalQuery): AsyncIterable<JournalEvent>;
  /** The same events, each as the line of JSON that was written. */
  export(sessionId: string): AsyncIterable<string>;
  /** The batches of a session, in order, each verified first. */
  batches(sessionId: string): AsyncIterable<JournalBatch>;
  /** Verifies everything that is kept of a session, and says where it was changed. */
  verify(sessionId: string): Promise<ChainVerdict>;
  /**
   * Removes the content of the calls of a session: arguments, results, questions. Its chain stays whole; an event says
   * what was erased. Returns the numbers of the events.
   * @throws ToolkeepError `session_in_use`, `invalid_option` while a turn is not finished.
   */
  erase(sessionId: string, options?: EraseOptions): Promise<readonly number[]>;
  /** Forgets unchanged sessions that nothing uses or waits for, and that were idle for this time. Returns their ids. */
  sweep(options: SweepOptions): Promise<readonly string[]>;
  /**
   * Encrypts with the first key what was encrypted with another. Returns how many values that were. Rejects if some
   * could not be decrypted, after all others were encrypted, and says how many.
   */
  rotateKeys(): Promise<number>;
  /** What the database holds. */
  status(): Promise<PostgresStatus>;
  projectApprovals(project: string): StoredApprovals;
}
