import { utimesSync } from "node:fs";
import { join } from "node:path";
import { createSession, defineTool } from "@toolkeep/core";
import { openStore, type Store } from "@toolkeep/sqlite";
import { expect, test } from "vitest";
import { isHeld } from "../../packages/cli/src/audit/held-sessions.ts";
import { sweepDaily, sweepStore } from "../../packages/cli/src/audit/sweep-store.ts";
import { temporaryFolders } from "../crash/temporary-folder.ts";

const temporary = temporaryFolders();
const DAY_MS = 86_400_000;

const work = defineTool({
  ...{ name: "work", description: "Works.", inputSchema: { type: "object" }, requires: {}, mode: "read" },
  execute: () => "done",
});

/** Sessions of some people that ended some days ago. */
async function filled(sessions: Readonly<Record<string, string>>, daysAgo: number): Promise<Store> {
  const store = openStore({ path: temporary(), durability: "normal" });
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

const idsIn = (store: Store) =>
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

test("a store that is opened sweeps once a day", async () => {
  await using store = await filled({ a: "ada" }, 40);
  const settings = { keepDays: 30 };
  await sweepDaily(store, settings);
  expect(idsIn(store)).toEqual([]);
  const session = await createSession({ id: "b", store, tools: [work], policy: { mode: "yolo" } });
  await session.close();
  await sweepDaily(store, { keepDays: -1 });
  expect(idsIn(store)).toEqual(["b"]);
  const yesterday = new Date(Date.now() - 1.1 * DAY_MS);
  utimesSync(join(store.path, "swept"), yesterday, yesterday);
  await sweepDaily(store, { keepDays: -1 });
  expect(idsIn(store)).toEqual([]);
});
