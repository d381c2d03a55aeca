import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSession } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openPostgresStore } from "@toolkeep/postgres";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { RELEASED_KEY } from "./released/write-release.ts";
import { newSchema } from "./test-schema.ts";
import { KEYS, POSTGRES_URL, testStores } from "./test-stores.ts";

/** A dump of each released version of the schema, with sessions in it: `NUMBER.sql`. */
const RELEASED = readdirSync(join(import.meta.dirname, "released")).filter((name) => name.endsWith(".sql"));

async function inDatabase(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: POSTGRES_URL });
  await client.connect();
  await client.query(text);
  await client.end();
}

describe.skipIf(POSTGRES_URL === "")("migrations", () => {
  const openStore = testStores();

  test.each(RELEASED)(
    "a database of the release %s is brought to this version, and its sessions continue",
    async (name) => {
      const schema = newSchema();
      const dump = readFileSync(join(import.meta.dirname, "released", name), "utf8");
      await inDatabase(`SET check_function_bodies = off; ${dump.replaceAll("released_schema", schema)}`);
      const store = await openStore({ schema, keys: [RELEASED_KEY] });
      for (const { sessionId } of await store.sessions())
        expect(await store.verify(sessionId)).toMatchObject({ intact: true });
      const [request] = await store.waiting();
      expect(request).toMatchObject({ sessionId: "waits", request: { id: "turn/1" } });
      const { tool } = stubTool("asked", (args) => args, { idempotent: false });
      const policy = [{ permission: "asked", action: "ask" }] as const;
      await using session = await createSession({ id: "waits", store, tools: [tool], policy });
      expect(await store.takeMessages("waits")).toEqual([{ text: "hello" }]);
      expect(await store.pending.get("waits/turn")).toContain("/data");
      await session.answer("turn/1", { verdict: "reject" });
      expect((await session.resume("turn")).status).toBe("done");
      expect(await store.projectApprovals("/project").has("print")).toBe(true);
    },
  );

  test("processes that open a new database at the same time make one schema of it", async () => {
    const schema = newSchema();
    const stores = await Promise.all([1, 2, 3].map(() => openStore({ schema })));
    await stores[0]?.sendMessage("s", { text: "hello" });
    expect(await stores[2]?.takeMessages("s")).toEqual([{ text: "hello" }]);
  });

  test("a schema that is newer than the program is refused and left as it is", async () => {
    const schema = newSchema();
    await (await openStore({ schema })).close();
    await inDatabase(`INSERT INTO ${schema}.migrations (version) VALUES (99)`);
    const opening = openPostgresStore({ url: POSTGRES_URL, schema, keys: KEYS });
    await expect(opening).rejects.toThrow("has version 99");
  });
});
