import { randomBytes } from "node:crypto";
import { createSession } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { openPostgresStore } from "@toolkeep/postgres";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { newSchema } from "./test-schema.ts";
import { KEYS, POSTGRES_URL, testStores } from "./test-stores.ts";

const RULES = [{ permission: "asked", action: "ask" }] as const;
const { tool } = stubTool("asked", (args) => args, { idempotent: false });

describe.skipIf(POSTGRES_URL === "")("what a database keeps", () => {
  const openStore = testStores();

  async function park(store: Awaited<ReturnType<typeof openStore>>, id: string, secret: string) {
    const session = await createSession({
      ...{ id, store, tools: [tool], policy: RULES, approver: scriptedApprover("later") },
    });
    await session.run([{ id: "1", name: "asked", arguments: { secret } }], { id: "turn" });
    await session.leave();
  }

  async function query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new pg.Client({ connectionString: POSTGRES_URL });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  test("raw arguments, answers and messages are encrypted, and read with any of the keys until they are rotated", async () => {
    const schema = newSchema();
    const [old, next] = ["old", "new"].map((id) => ({ id, secret: randomBytes(32) }));
    if (old === undefined || next === undefined) throw new Error("no keys");
    const before = await openStore({ schema, keys: [old] });
    await park(before, "s", "plum pudding");
    await before.sendMessage("s", { text: "plum pudding" });
    const kept = await query(
      `SELECT encode(encrypted, 'escape') AS text FROM ${schema}.pending UNION ALL SELECT encode(encrypted, 'escape') FROM ${schema}.inbox`,
    );
    expect(kept.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(kept)).not.toContain("plum");
    await before.close();

    const without = await openStore({ schema, keys: [next] });
    await expect(without.takeMessages("s")).rejects.toThrow('encrypted with the key "old"');
    const after = await openStore({ schema, keys: [next, old] });
    expect(await after.pending.get("s/turn")).toContain("plum pudding");
    expect(await after.rotateKeys()).toBe(kept.length);
    expect(await after.rotateKeys()).toBe(0);
    expect(Object.keys((await after.status()).pendingArguments)).toEqual(["new"]);
    expect(await without.takeMessages("s")).toEqual([{ text: "plum pudding" }]);
  });

  test("a message that cannot be decrypted keeps no other one from being given and removed", async () => {
    const schema = newSchema();
    const [old, next] = ["old", "new"].map((id) => ({ id, secret: randomBytes(32) }));
    if (old === undefined || next === undefined) throw new Error("no keys");
    const before = await openStore({ schema, keys: [old] });
    const after = await openStore({ schema, keys: [next] });
    await after.sendMessage("s", { text: "one" });
    await before.sendMessage("s", { text: "two" });
    await after.sendMessage("s", { text: "three" });
    await expect(after.takeMessages("s")).rejects.toThrow('encrypted with the key "old"');
    const given: string[] = [];
    const take = () =>
      after.takeMessages("s", async ({ message }) => {
        given.push(message.text);
        return true;
      });
    await expect(take()).rejects.toThrow('encrypted with the key "old"');
    await expect(take()).rejects.toThrow('encrypted with the key "old"');
    expect(given).toEqual(["one", "three"]);
    expect(await before.takeMessages("s")).toEqual([{ text: "two" }]);
  });

  test("what cannot be decrypted keeps nothing else from its new key, and is counted", async () => {
    const schema = newSchema();
    const [old, next] = ["old", "new"].map((id) => ({ id, secret: randomBytes(32) }));
    if (old === undefined || next === undefined) throw new Error("no keys");
    const before = await openStore({ schema, keys: [old] });
    for (const session of ["a", "b", "c"]) await before.pending.put(`${session}/turn`, session);
    await query(`UPDATE ${schema}.pending SET encrypted = 'broken' WHERE key = 'a/turn'`);
    const after = await openStore({ schema, keys: [next, old] });
    await expect(after.rotateKeys()).rejects.toMatchObject({
      code: "journal_broken",
      message: expect.stringContaining('2 values are encrypted with the key "new" now, and 1 cannot'),
    });
    const rows = await query(`SELECT key, key_id FROM ${schema}.pending ORDER BY key`);
    expect(rows.map((row) => Object.values(row))).toEqual([
      ["a/turn", "old"],
      ["b/turn", "new"],
      ["c/turn", "new"],
    ]);
  });

  test("answers with keys differ whatever spaces their requests and keys have", async () => {
    const store = await openStore();
    await park(store, "s", "x");
    await store.answer({ sessionId: "s", id: "a b" }, { verdict: "once" }, { key: "c" });
    await store.answer({ sessionId: "s", id: "a" }, { verdict: "once" }, { key: "b c" });
    await store.answer({ sessionId: "s", id: "a" }, { verdict: "once" }, { key: "b c" });
    const left: string[] = [];
    await store.takeAnswers("s", async ({ requestId }) => {
      left.push(requestId);
      return true;
    });
    expect(left).toEqual(["a b", "a"]);
  });

  test("a schema may have a name of 48 characters", async () => {
    const schema = `${newSchema()}${"_".repeat(48)}`.slice(0, 48);
    const store = await openStore({ schema });
    await park(store, "s", "x");
    expect(await store.waiting()).toHaveLength(1);
    expect(await store.verify("s")).toMatchObject({ intact: true });
  });

  test("a value that was moved or changed is refused", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await store.pending.put("a/turn", "one");
    await store.pending.put("b/turn", "two");
    await query(
      `UPDATE ${schema}.pending SET encrypted = (SELECT encrypted FROM ${schema}.pending WHERE key = 'a/turn')`,
    );
    expect(await store.pending.get("a/turn")).toBe("one");
    await expect(store.pending.get("b/turn")).rejects.toMatchObject({ code: "journal_broken" });
  });

  test("a session that is parked, answered elsewhere and resumed leaves nothing behind", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await park(store, "s", "x");
    expect(await store.status()).toMatchObject({ waiting: 1, unfinishedTurns: 1, sessionsInUse: 0 });
    const other = await openStore({ schema });
    const [waiting] = await other.waiting();
    if (waiting === undefined) throw new Error("nothing waits");
    expect(await other.sessions()).toMatchObject([
      { sessionId: "s", state: "parked", unfinishedTurns: ["turn"], waiting: [waiting.request.id] },
    ]);
    await other.answer({ sessionId: "s", id: waiting.request.id }, { verdict: "once" });
    const session = await createSession({ id: "s", store: other, tools: [tool], policy: RULES });
    const { results } = await session.resume("turn");
    expect(results[0]?.ok).toBe(true);
    await session.close();
    const status = await store.status();
    expect(status).toMatchObject({
      waiting: 0,
      unfinishedTurns: 0,
      sessionsInUse: 0,
      untaken: 0,
      pendingArguments: {},
    });
    expect((await store.sessions()).map(({ state, calls }) => ({ state, calls }))).toEqual([
      { state: "closed", calls: 1 },
    ]);
  });

  test("erased payloads are gone, and the chain says so", async () => {
    const store = await openStore();
    const { tool: work } = stubTool("work", () => ({ text: "plum pudding" }));
    const session = await createSession({ id: "s", store, tools: [work] });
    await session.run([{ id: "1", name: "work", arguments: { text: "plum pudding" } }]);
    await session.close();
    expect((await Array.fromAsync(store.export("s"))).join("")).toContain("plum");
    const erased = await store.erase("s", { by: "ada" });
    expect(erased.length).toBeGreaterThan(0);
    expect((await Array.fromAsync(store.export("s"))).join("")).not.toContain("plum");
    expect(await store.verify("s")).toMatchObject({ intact: true, erased: erased.length });
  });

  test("a process that ends before a second erasure of a batch leaves a whole chain, and it can be erased again", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    const { tool: work } = stubTool("work", (args) => args);
    const session = await createSession({ id: "s", store, tools: [work] });
    const calls = ["plum", "pear"].map((text) => ({ id: text, name: "work", arguments: { text } }));
    await session.run(calls);
    await session.close();
    await store.erase("s", { callId: "plum" });
    await query(`CREATE TABLE ${schema}.before AS SELECT session, first_seq, bytes FROM ${schema}.batches`);
    expect((await store.erase("s", { callId: "pear" })).length).toBeGreaterThan(0);
    // As if it had ended between the record of the second erasure and the erasure.
    await query(`UPDATE ${schema}.batches b SET bytes = o.bytes FROM ${schema}.before o
      WHERE o.session = b.session AND o.first_seq = b.first_seq`);
    expect((await Array.fromAsync(store.export("s"))).join("")).toContain('"text":"pear"');
    expect(await store.verify("s")).toMatchObject({ intact: true });
    await store.erase("s", { callId: "pear" });
    expect((await Array.fromAsync(store.export("s"))).join("")).not.toMatch(/"text":"(?:plum|pear)"/);
    expect(await store.verify("s")).toMatchObject({ intact: true });
  });

  test("old sessions are swept with the partition of their month; what waits stays, and the record says what went", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    for (const id of ["a", "b"]) {
      const session = await createSession({ id, store });
      await session.close();
    }
    await park(store, "waits", "x");
    await query(
      `CREATE TABLE ${schema}.batches_202001 PARTITION OF ${schema}.batches FOR VALUES IN (202001)`,
    );
    for (const table of ["sessions", "batches"])
      await query(
        `UPDATE ${schema}.${table} SET period = 202001 WHERE ${table === "sessions" ? "id" : "session"} IN (SELECT id FROM ${schema}.sessions WHERE name IN ('a', 'b'))`,
      );
    expect((await store.status()).periods.map(({ period }) => period)).toContain(202001);
    expect(await store.sweep({ olderThanMs: 60_000 })).toEqual([]);
    expect(await store.sweep({ olderThanMs: -60_000, isKept: (id) => id === "b" })).toEqual(["a"]);
    expect(await query(`SELECT to_regclass('${schema}.batches_202001') AS at`)).not.toEqual([{ at: null }]);
    expect(await store.sweep({ olderThanMs: -60_000 })).toEqual(["b"]);
    expect(await query(`SELECT to_regclass('${schema}.batches_202001') AS at`)).toEqual([{ at: null }]);
    expect((await store.sessions()).map(({ sessionId }) => sessionId)).toEqual(["waits"]);
    const record = await Array.fromAsync(store.events("toolkeep/store"));
    expect(record.map(({ type }) => type)).toEqual(["session-forget", "session-forget"]);
    expect(await store.verify("toolkeep/store")).toMatchObject({ intact: true, batches: 2 });
  });

  test("options that cannot be meant are refused", async () => {
    const open = (options: object) => openPostgresStore({ url: POSTGRES_URL, keys: KEYS, ...options });
    await expect(open({ kyes: [] })).rejects.toThrow('Did you mean "keys"?');
    await expect(open({ keys: [] })).rejects.toThrow("openssl rand -base64 32");
    await expect(open({ keys: [{ id: "k", secret: "short" }] })).rejects.toThrow("32 bytes");
    await expect(open({ schema: 'x"; DROP' })).rejects.toThrow("cannot be used");
    await expect(open({ url: undefined })).rejects.toThrow("either `url`");
    await expect(open({ url: "postgres://tests@127.0.0.1:1/postgres" })).rejects.toThrow("cannot be reached");
  });
});
