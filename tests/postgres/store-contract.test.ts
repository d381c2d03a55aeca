import { openPostgresStore } from "@toolkeep/postgres";
import { describe } from "vitest";
import { testStoreContract } from "../stores/store-contract.ts";
import { newSchema } from "./test-schema.ts";
import { KEYS, POSTGRES_URL } from "./test-stores.ts";

const schemas = new WeakMap<object, string>();

async function open(schema: string) {
  const store = await openPostgresStore({ url: POSTGRES_URL, keys: KEYS, schema });
  schemas.set(store, schema);
  return store;
}

describe.skipIf(POSTGRES_URL === "")("with a server", () => {
  testStoreContract({
    name: "on PostgreSQL",
    open: () => open(newSchema()),
    openAgain: (store) => open(schemas.get(store) ?? ""),
  });
});
