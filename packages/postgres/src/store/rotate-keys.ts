import { ToolkeepError } from "@toolkeep/core";
import { errorText } from "@toolkeep/core/internal";
import type { Database } from "../database/database.ts";
import { nameOf } from "./inbox.ts";
import type { KeyRing } from "./key-ring.ts";

const PENDING = `SELECT key AS id, key AS name, key_id AS "keyId", encrypted AS bytes FROM @.pending
    WHERE key_id <> $1 AND key > $2 ORDER BY key LIMIT 500 FOR UPDATE`;
const INBOX = `SELECT id::text, name, key, key_id AS "keyId", encrypted AS bytes FROM @.inbox
    WHERE key_id <> $1 AND id > $2::bigint ORDER BY id LIMIT 500 FOR UPDATE`;
const PUT_PENDING = "UPDATE @.pending SET key_id = $2, encrypted = $3 WHERE key = $1";
const PUT_INBOX = "UPDATE @.inbox SET key_id = $2, encrypted = $3 WHERE id = $1::bigint";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly key?: string;
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/**
 * Encrypts with the current key what was encrypted with another. Returns how many values that were.
 * @throws ToolkeepError after all others were encrypted, if some cannot be decrypted.
 */
export async function rotateKeys(database: Database, keys: KeyRing): Promise<number> {
  const failed: unknown[] = [];
  const rotation = { database, keys, failed };
  const ofPending = await rotate(rotation, PENDING, PUT_PENDING, "");
  const count = ofPending + (await rotate(rotation, INBOX, PUT_INBOX, "0"));
  if (failed.length > 0) throw incomplete(count, failed, keys.current);
  return count;
}

interface Rotation {
  readonly database: Database;
  readonly keys: KeyRing;
  /** Why a value could not be decrypted, for each of them. */
  readonly failed: unknown[];
}

async function rotate(
  { database, keys, failed }: Rotation,
  find: string,
  put: string,
  first: string,
): Promise<number> {
  let count = 0;
  for (let after: string | undefined = first; after !== undefined; ) {
    const from: string = after;
    const part = await database.inTransaction(async (client) => {
      const rows = await database.run<Row>(client, find, [keys.current, from]);
      const errors: unknown[] = [];
      for (const row of rows) {
        const name = row.key === undefined ? row.name : nameOf(row.name, row.key);
        const text = decrypted(keys, name, row, errors);
        if (text === undefined) continue;
        const { keyId, bytes } = keys.encrypt(name, text);
        await database.run(client, put, [row.id, keyId, bytes]);
      }
      return { count: rows.length - errors.length, errors, last: rows.at(-1)?.id };
    });
    count += part.count;
    failed.push(...part.errors);
    after = part.last;
  }
  return count;
}

function decrypted(keys: KeyRing, name: string, row: Row, errors: unknown[]): string | undefined {
  try {
    return keys.decrypt(name, row);
  } catch (error) {
    errors.push(error);
    return undefined;
  }
}

function incomplete(count: number, [cause, ...others]: readonly unknown[], current: string): ToolkeepError {
  const code = cause instanceof ToolkeepError ? cause.code : "journal_broken";
  const why = errorText(cause);
  const message = `${count} values are encrypted with the key ${JSON.stringify(current)} now, and ${others.length + 1} cannot be decrypted. The first: ${why}`;
  return new ToolkeepError(code, message, { cause });
}
