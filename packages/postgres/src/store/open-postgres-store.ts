import type { ToolkeepError } from "@toolkeep/core";
import { assertKnownKeys, errorText, invalidOption } from "@toolkeep/core/internal";
import pg from "pg";
import { isConnectionError } from "../database/connection-errors.ts";
import { Database } from "../database/database.ts";
import { heldLock, isLockTimeout } from "../database/held-lock.ts";
import type { PostgresPool } from "../database/pool.ts";
import { migrate } from "../schema/migrate.ts";
import { KeyRing } from "./key-ring.ts";
import { BasePostgresStore } from "./postgres-store.ts";
import type { PostgresStore, PostgresStoreOptions } from "./store.ts";

const KNOWN = {
  ...{ url: true, pool: true, schema: true, keys: true, termMs: true, patienceMs: true, outputs: true },
} satisfies Record<keyof PostgresStoreOptions, true>;

const DEFAULT_MS = 30_000;

/** Two commits at a time, the connection that holds the lock, and some for reading. */
const MOST_CONNECTIONS = 8;
const LEAST_CONNECTIONS = 4;

/**
 * Opens a store in a PostgreSQL database. The tables are created, or brought to the version of this release, if need be.
 *
 * @example
 * const { DATABASE_URL: url = "", TOOLKEEP_KEY: secret = "" } = process.env;
 * await using store = await openPostgresStore({ url, keys: [{ id: "2026", secret }] });
 * const session = await createSession({ id: "chat-1", store, tools });
 *
 * @throws ToolkeepError `invalid_option` for an unknown option, a key that is not 32 bytes long, a pool of fewer than four
 * connections, or a database that cannot be reached or is newer than this release.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  assertKnownKeys(options, Object.keys(KNOWN), "store option");
  const { schema = "toolkeep", termMs = DEFAULT_MS, patienceMs = DEFAULT_MS } = options;
  for (const [name, value] of Object.entries({ termMs, patienceMs }))
    if (!(Number.isFinite(value) && value > 0)) throw invalid(`\`${name}\` must be a number above 0`);
  const keys = new KeyRing(options.keys ?? []);
  const pool = poolOf(options);
  const database = new Database({ pool, schema, patienceMs });
  try {
    // A wrong address is found out at once.
    (await database.connect()).release();
    await migrate(database);
    const store = new BasePostgresStore({
      database,
      keys,
      termMs,
      outputs: options.outputs,
      endsPool: options.pool === undefined,
    });
    await store.start();
    return store;
  } catch (error) {
    const held = isLockTimeout(error) ? await heldLock(database, 0) : undefined;
    if (options.pool === undefined) await pool.end();
    throw held ?? (isConnectionError(error) ? unreachable(error) : error);
  }
}

function poolOf({ url, pool }: PostgresStoreOptions): PostgresPool {
  if ((url === undefined) === (pool === undefined))
    throw invalid("give either `url`, such as `postgres://localhost/agents`, or `pool`");
  const { max = MOST_CONNECTIONS } = pool?.options ?? {};
  if (max < LEAST_CONNECTIONS)
    throw invalid(
      `its \`pool\` is limited to ${max}, and the store keeps three connections for itself. Give it one of at least ${LEAST_CONNECTIONS}: \`new Pool({ max: ${MOST_CONNECTIONS} })\``,
    );
  if (pool !== undefined) return pool;
  const made = new pg.Pool({ connectionString: url ?? "", max: MOST_CONNECTIONS, keepAlive: true });
  // A connection that breaks while it is not used is replaced.
  made.on("error", () => undefined);
  return made;
}

function invalid(why: string): ToolkeepError {
  return invalidOption(`The store cannot be opened: ${why}.`);
}

function unreachable(cause: unknown): ToolkeepError {
  const why = errorText(cause);
  const message = `The database cannot be reached: ${why}. Is it running, and is the address right?`;
  return invalidOption(message, { cause });
}
