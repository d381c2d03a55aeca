import { randomBytes } from "node:crypto";
import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from "@toolkeep/postgres";
import { afterEach, inject } from "vitest";
import { newSchema } from "./test-schema.ts";

export const POSTGRES_URL = inject("postgresUrl");
export const KEYS = [{ id: "test", secret: randomBytes(32) }];

/** Opens stores that are closed after each test. */
export function testStores() {
  const opened: PostgresStore[] = [];
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close().catch(() => undefined);
  });
  return async (options: Partial<PostgresStoreOptions> = {}): Promise<PostgresStore> => {
    const store = await openPostgresStore({ url: POSTGRES_URL, keys: KEYS, schema: newSchema(), ...options });
    opened.push(store);
    return store;
  };
}
