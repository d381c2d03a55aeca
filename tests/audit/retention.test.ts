import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSession, defineTool } from "@toolkeep/core";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { afterEach, expect, test, vi } from "vitest";
import { isHeld } from "../../packages/cli/src/project/store/held-sessions.ts";
import { cursorFile, recordEnds } from "../../packages/cli/src/project/store/ship-cursor.ts";
import { sweepDaily, sweepStore } from "../../packages/cli/src/project/store/sweep-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";

afterEach(() => vi.unstubAllEnvs());
const DAY_MS = 86_400_000;

const work = defineTool({
  ...{ name: "work", description: "Works.", inputSchema: { type: "object" }, requires: {}, mode: "read" },
  execute: () => "done",
});

/** Sessions of some people that ended some days ago. */
async function filled(sessions: Readonly<Record<string, string>>, daysAgo: number): Promise<SqliteStore> {
  const store = openSqliteStore({ path: temporaryFolder(), durability: "normal" });
  for (const [id, user] of Object.entries(sessions)) {
    const journal = store.journal(id);
    const at = Date.now() - daysAgo * DAY_MS;
    journal.append(0, at, "", {
      ...{ type: "session-open", sessionId: id },
      principal: { user, role: "agent", workspace: "main" },
    });
    journal.append(1, at, "", { type: "session-close" });
    await journal.flush();
    journal.close();
  }
  return store;
}

const idsIn = (store: SqliteStore) =>
  store
    .sessions()
    .map(({ sessionId }) => sessionId)
    .toSorted();

test("[platform A6] `journal.keepDays` removes what is older, and a legal hold keeps it", async () => {
  await using store = await filled({ "claude-code.a": "ada", b: "bob", c: "carol", d: "dan" }, 40);
  expect(await sweepStore(store, {})).toEqual([]);
  expect(await sweepStore(store, { keepDays: 41 })).toEqual([]);
  const hold = ["user:bob", "session:claude-*"];
  expect((await sweepStore(store, { keepDays: 30, hold })).toSorted()).toEqual(["c", "d"]);
  expect(idsIn(store)).toEqual(["b", "claude-code.a"]);
  expect(await sweepStore(store, { keepDays: 30, hold: ["*"] })).toEqual([]);
  expect(await isHeld(store, "claude-code.a.outcomes", hold)).toBe(true);
});

test("what was not sent to the configured sink is not removed, nor what came since", async () => {
  vi.stubEnv("TOOLKEEP_HOME", temporaryFolder());
  await using store = await filled({ a: "ada", b: "bob" }, 40);
  const settings = { keepDays: 30, sink: "https://logs.example.com", format: "jsonl" } as const;
  const cursor = await cursorFile(store, { to: settings.sink, format: settings.format });
  expect(await sweepStore(store, settings)).toEqual([]);
  const sent = Object.fromEntries(recordEnds(store).map(({ key, nextSeq }) => [key, nextSeq]));
  const [first = ""] = Object.keys(sent).filter((key) => key.startsWith("a:"));
  writeFileSync(cursor, JSON.stringify({ ...sent, [first]: 1 }));
  expect(await sweepStore(store, settings)).toEqual(["b"]);
  writeFileSync(cursor, "{");
  expect(await sweepStore(store, settings)).toEqual([]);
  writeFileSync(cursor, JSON.stringify(sent));
  expect(await sweepStore(store, settings)).toEqual(["a"]);
});

test("a session that continues while others are looked at stays, and so does a sweep whose work another one does", async () => {
  await using store = await filled({ a: "ada", b: "bob", c: "carol" }, 40);
  await using other = openSqliteStore({ path: store.path, durability: "normal" });
  const swept = await store.sweep({
    olderThanMs: 30 * DAY_MS,
    async isKept(sessionId) {
      if (sessionId === "b") await other.forget("b");
      if (sessionId !== "c") return false;
      const session = await createSession({ id: "c", store: other, tools: [work], policy: { mode: "yolo" } });
      await session.close();
      return false;
    },
  });
  expect(swept).toEqual(["a"]);
  expect(idsIn(store)).toEqual(["c"]);
});

test("a store that is opened sweeps once a day", async () => {
  await using store = await filled({ a: "ada" }, 40);
  const keeping = (keepDays: number) => ({ audit: {}, journal: { keepDays } });
  await sweepDaily(store, keeping(30));
  expect(idsIn(store)).toEqual([]);
  const session = await createSession({ id: "b", store, tools: [work], policy: { mode: "yolo" } });
  await session.close();
  await sweepDaily(store, keeping(-1));
  expect(idsIn(store)).toEqual(["b"]);
  const yesterday = new Date(Date.now() - 1.1 * DAY_MS);
  utimesSync(join(store.path, "swept"), yesterday, yesterday);
  await sweepDaily(store, keeping(-1));
  expect(idsIn(store)).toEqual([]);
});
