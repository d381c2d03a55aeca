import type { Database, Statement } from "../database/database.ts";
import { nameOf } from "./inbox.ts";
import type { KeyRing } from "./key-ring.ts";

const PENDING: Statement = {
  name: "pending of other keys",
  text: `SELECT key AS id, key AS name, key_id AS "keyId", encrypted AS bytes FROM @.pending
    WHERE key_id <> $1 ORDER BY key LIMIT 500 FOR UPDATE`,
};
const INBOX: Statement = {
  name: "inbox of other keys",
  text: `SELECT id::text, name, key, key_id AS "keyId", encrypted AS bytes FROM @.inbox
    WHERE key_id <> $1 ORDER BY id LIMIT 500 FOR UPDATE`,
};
const PUT_PENDING: Statement = {
  name: "re-encrypt pending",
  text: "UPDATE @.pending SET key_id = $2, encrypted = $3 WHERE key = $1",
};
const PUT_INBOX: Statement = {
  name: "re-encrypt inbox",
  text: "UPDATE @.inbox SET key_id = $2, encrypted = $3 WHERE id = $1::bigint",
};

interface Row {
  readonly id: string;
  readonly name: string;
  readonly key?: string;
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/** Encrypts with the current key what was encrypted with another. Returns how many values that were. */
export async function rotateKeys(database: Database, keys: KeyRing): Promise<number> {
  const ofPending = await rotate(database, keys, PENDING, PUT_PENDING);
  return ofPending + (await rotate(database, keys, INBOX, PUT_INBOX));
}

async function rotate(database: Database, keys: KeyRing, find: Statement, put: Statement): Promise<number> {
  for (let count = 0; ; ) {
    const rotated = await database.inTransaction(async (client) => {
      const rows = await database.run<Row>(client, find, [keys.current]);
      for (const row of rows) {
        const name = row.key === undefined ? row.name : nameOf(row.name, row.key);
        const { keyId, bytes } = keys.encrypt(name, keys.decrypt(name, row));
        await database.run(client, put, [row.id, keyId, bytes]);
      }
      return rows.length;
    });
    if (rotated === 0) return count;
    count += rotated;
  }
}
