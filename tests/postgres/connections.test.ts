import { createSession } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openPostgresStore } from "@toolkeep/postgres";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { newSchema } from "./test-schema.ts";
import { KEYS, POSTGRES_URL, testStores } from "./test-stores.ts";

const pools: pg.Pool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end();
});

function poolOf(max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: POSTGRES_URL, max });
  pool.on("error", () => undefined);
  pools.push(pool);
  return pool;
}

describe.skipIf(POSTGRES_URL === "")("the connections of a store", () => {
  const openTestStore = testStores();

  test.each([1, 2, 3])("a pool of %i is refused, and the message says how large one must be", async (max) => {
    const opening = openPostgresStore({ pool: poolOf(max), keys: KEYS, schema: newSchema() });
    await expect(opening).rejects.toMatchObject({
      code: "invalid_option",
      message: expect.stringMatching(new RegExp(`limited to ${max},.*at least 4.*max: 8`)),
    });
  });

  test("a pool of four serves many sessions at once", async () => {
    await using store = await openPostgresStore({ pool: poolOf(4), keys: KEYS, schema: newSchema() });
    const { tool } = stubTool("work");
    const options = { store, tools: [tool], policy: ["allow *"] } as const;
    const sessions = await Promise.all(
      Array.from({ length: 40 }, (_, n) => createSession({ ...options, id: `s${n}` })),
    );
    const results = await Promise.all(
      sessions.map((session) => session.call({ id: "1", name: "work", arguments: {} })),
    );
    expect(results.every(({ ok }) => ok)).toBe(true);
    for (const session of sessions) await session.close();
  });

  test("a notice takes no longer if more sessions are open", async () => {
    const schema = newSchema();
    const store = await openTestStore({ schema });
    const open = async (from: number, to: number) => {
      await Promise.all(Array.from({ length: to - from }, (_, n) => store.open(`s${from + n}`)));
    };
    const client = new pg.Client(POSTGRES_URL);
    await client.connect();
    /** How much time of the processor notices took that are for no session here. */
    const spent = async () => {
      const before = process.cpuUsage();
      for (let n = 0; n < 200; n += 1)
        await client.query(`SELECT pg_notify('toolkeep_${schema}', 'news ${"0".repeat(40)}')`);
      // Its answer comes after all of those.
      await store.sendMessage("s0", { text: "hello" });
      return process.cpuUsage(before).user / 1_000;
    };
    await open(0, 1);
    await spent();
    const few = await spent();
    await open(1, 500);
    const many = await spent();
    await client.end();
    expect(many).toBeLessThan(3 * few + 100);
  });
});
