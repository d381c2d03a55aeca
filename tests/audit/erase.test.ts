import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSession, defineTool } from "@toolkeep/core";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const echo = defineTool({
  name: "echo",
  description: "Echoes.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  requires: {},
  mode: "read",
  execute: ({ text }) => `echo ${String(text)}`,
});

async function sessionIn(store: SqliteStore) {
  return createSession({ id: "s", store, tools: [echo], policy: { mode: "yolo" } });
}

async function filled(folder: string): Promise<SqliteStore> {
  const store = openSqliteStore({ path: folder });
  const session = await sessionIn(store);
  await session.call({ id: "c1", name: "echo", arguments: { text: "alice-was-here" } });
  await session.call({ id: "c2", name: "echo", arguments: { text: "bob-was-here" } });
  await session.call({ id: "c3", name: "nothing", arguments: { text: "carol-was-here" } });
  await session.close();
  return store;
}

async function textOf(store: SqliteStore): Promise<string> {
  return (await Array.fromAsync(store.export("s"))).join("\n");
}

test("erasing a call leaves a chain that is whole, and no trace of the payload in the files of the store", async () => {
  const folder = temporaryFolder();
  const store = await filled(folder);
  const before = await store.verify("s");
  const events = await store.erase("s", { callId: "c1", by: "ada" });
  expect(events.length).toBeGreaterThan(1);
  expect(await store.verify("s")).toMatchObject({ intact: true });
  expect(before).toMatchObject({ intact: true });
  const text = await textOf(store);
  expect(text).not.toContain("alice-was-here");
  expect(text).toContain("bob-was-here");
  expect(text).toMatch(/"type":"payload-erase".*"by":"ada"/);
  await store.close();
  for (const file of ["toolkeep.db", "toolkeep.db-wal"])
    expect(safeRead(join(folder, file))).not.toContain("alice-was-here");
});

function safeRead(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

test("everything can be erased, also twice, and the session continues", async () => {
  await using store = await filled(temporaryFolder());
  await store.erase("s", { callId: "c2" });
  await store.erase("s");
  expect(await store.erase("s")).toEqual([]);
  expect(await textOf(store)).not.toMatch(/-was-here/);
  const session = await sessionIn(store);
  const { ok } = await session.call({ id: "c4", name: "echo", arguments: { text: "more" } });
  await session.close();
  expect([ok, await store.verify("s")]).toMatchObject([true, { intact: true }]);
});

test("a process that ends before a second erasure of a batch leaves a whole chain, and it can be erased again", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  const session = await sessionIn(store);
  const calls = ["alice", "bob"].map((name, index) => ({
    ...{ id: `c${index + 1}`, name: "echo", arguments: { text: `${name}-was-here` } },
  }));
  await session.run(calls);
  await session.close();
  await store.erase("s", { callId: "c1" });
  const db = new DatabaseSync(join(folder, "toolkeep.db"));
  const rows = db.prepare("SELECT id, bytes FROM batches").all();
  expect((await store.erase("s", { callId: "c2" })).length).toBeGreaterThan(0);
  // As if it had ended between the record of the second erasure and the erasure.
  for (const { id = 0, bytes = 0 } of rows)
    db.prepare("UPDATE batches SET bytes = ? WHERE id = ?").run(bytes, id);
  db.close();
  await store.close();
  await using after = openSqliteStore({ path: folder });
  expect(await textOf(after)).toContain("bob-was-here");
  expect(await after.verify("s")).toMatchObject({ intact: true });
  await after.erase("s", { callId: "c2" });
  expect(await textOf(after)).not.toContain("was-here");
  expect(await after.verify("s")).toMatchObject({ intact: true });
});

test("verify accepts exactly what was erased: other bytes in that place are a change", async () => {
  const folder = temporaryFolder();
  const store = await filled(folder);
  await store.erase("s", { callId: "c1" });
  await store.close();
  const db = new DatabaseSync(join(folder, "toolkeep.db"));
  db.exec(`UPDATE batches SET bytes = CAST(replace(bytes, '"erased":"', '"erasex":"') AS BLOB)
    WHERE instr(bytes, '"erased":"') > 0 AND instr(bytes, 'payload-erase') = 0`);
  db.close();
  await using changed = openSqliteStore({ path: folder });
  expect(await changed.verify("s")).toMatchObject({
    intact: false,
    diagnostic: expect.stringMatching(/its bytes were changed/),
  });
});

test("a session whose turn waits is not erased, and one that waits is not swept", async () => {
  await using store = openSqliteStore({ path: temporaryFolder() });
  const session = await createSession({
    ...{ id: "s", store, tools: [echo], policy: ["ask echo"] },
    approver: async () => "later",
  });
  await session.run([{ id: "c1", name: "echo", arguments: { text: "x" } }]);
  await session.close();
  await expect(store.erase("s")).rejects.toThrow(/not finished, or waits/);
  expect(await store.sweep({ olderThanMs: -1 })).toEqual([]);
});

test("a sweep removes what is old and unchanged, keeps what is held, and the store records it", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  for (const id of ["old", "held", "changed"]) {
    const session = await createSession({ id, store, tools: [echo], policy: { mode: "yolo" } });
    await session.call({ id: "c1", name: "echo", arguments: { text: "x" } });
    await session.close();
  }
  const db = new DatabaseSync(join(folder, "toolkeep.db"));
  db.exec("UPDATE sessions SET active_at = 1 WHERE name = 'changed'");
  db.close();
  const swept = await store.sweep({ olderThanMs: -1, isKept: (id) => id === "held" });
  expect(swept).toEqual(["old"]);
  expect(
    store
      .sessions()
      .map(({ sessionId }) => sessionId)
      .toSorted(),
  ).toEqual(["changed", "held"]);
  const events = await Array.fromAsync(store.events("toolkeep/store"));
  expect(events).toMatchObject([{ type: "session-forget", session: hash("sha256", "old"), why: "swept" }]);
  expect(await store.verify("toolkeep/store")).toMatchObject({ intact: true });
  await store.close();
});
