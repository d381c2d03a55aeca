import type { PendingArguments } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import type { KeptArguments } from "./kept-arguments.ts";
import type { KeyRing } from "./key-ring.ts";
import type { PostgresJournal } from "./postgres-journal.ts";

const PUT = `INSERT INTO @.pending (name, key, key_id, encrypted) VALUES ($1, $2, $3, $4)
    ON CONFLICT (key) DO UPDATE SET key_id = excluded.key_id, encrypted = excluded.encrypted`;
const GET = 'SELECT key_id AS "keyId", encrypted AS bytes FROM @.pending WHERE key = $1';
const DELETE = "DELETE FROM @.pending WHERE key = $1";

/** A session that is open here: what changes goes with its next commit. */
export interface OpenSession {
  readonly journal: PostgresJournal;
  readonly kept: KeptArguments;
}

/** Raw arguments of calls that are not settled, encrypted. */
export class StoredPending implements PendingArguments {
  readonly #database: Database;
  readonly #keys: KeyRing;
  readonly #openOf: (sessionId: string) => OpenSession | undefined;

  constructor(database: Database, keys: KeyRing, openOf: (sessionId: string) => OpenSession | undefined) {
    this.#database = database;
    this.#keys = keys;
    this.#openOf = openOf;
  }

  async put(key: string, argsText: string): Promise<void> {
    const open = this.#openOf(sessionOf(key));
    if (open !== undefined) return open.journal.putArguments(key, argsText);
    const { keyId, bytes } = this.#keys.encrypt(key, argsText);
    await this.#database.query(PUT, [sessionOf(key), key, keyId, bytes]);
  }

  async get(key: string): Promise<string | undefined> {
    const open = this.#openOf(sessionOf(key));
    const known = open?.kept.get(key);
    if (known !== undefined && !known.isUnread) return known.text;
    type Row = { readonly keyId: string; readonly bytes: Uint8Array };
    const [row] = await this.#database.query<Row>(GET, [key]);
    return row === undefined ? undefined : this.#keys.decrypt(key, row);
  }

  async delete(key: string): Promise<void> {
    const open = this.#openOf(sessionOf(key));
    if (open !== undefined) return open.journal.deleteArguments(key);
    await this.#database.query(DELETE, [key]);
  }
}

function sessionOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf("/")));
}
