import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSession } from "@toolkeep/core";
import { openPostgresStore } from "@toolkeep/postgres";
import pg from "pg";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { askedTool } from "./released/asked-tool.ts";
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
    "a database of the release %s is brought to this version, and a call that waited in it is approved and run",
    async (name) => {
      // The request of a dump can be answered for 30 days.
      vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-17T00:00:00Z") });
      onTestFinished(() => void vi.useRealTimers());
      const schema = newSchema();
      const dump = readFileSync(join(import.meta.dirname, "released", name), "utf8");
      await inDatabase(`SET check_function_bodies = off; ${dump.replaceAll("released_schema", schema)}`);
      const store = await openStore({ schema, keys: [RELEASED_KEY] });
      for (const { sessionId } of await store.sessions())
        expect(await store.verify(sessionId)).toMatchObject({ intact: true });
      const [request] = await store.waiting();
      expect(request).toMatchObject({ sessionId: "waits", request: { id: "turn/1" } });
      expect(await store.takeMessages("waits")).toEqual([{ text: "hello" }]);
      expect(await store.pending.get("waits/turn")).toContain("/data");
      await store.answer({ sessionId: "waits", id: "turn/1" }, { verdict: "once", by: "ada" });
      expect(await store.unfinished(10)).toEqual([{ sessionId: "waits", turn: "turn" }]);
      const { tool, executed } = askedTool();
      const policy = [{ permission: "asked", action: "ask" }] as const;
      const session = await createSession({ id: "waits", store, tools: [tool], policy });
      const { status, results } = await session.resume("turn");
      expect(results[0]?.failure).toBeUndefined();
      expect(status).toBe("done");
      expect(results[0]).toMatchObject({ callId: "1", ok: true, data: { path: "/data" } });
      expect(executed).toHaveLength(1);
      await session.close();
      expect(await store.verify("waits")).toMatchObject({ intact: true });
      expect(await store.status()).toMatchObject({ waiting: 0, unfinishedTurns: 0, pendingArguments: {} });
      const calls = (await Array.fromAsync(store.events("waits"))).map(({ type }) => type);
      expect(calls).toEqual(expect.arrayContaining(["approval-request", "approval-answer", "call-end"]));
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
