import { memoryStore } from "@toolkeep/core";
import { openSqliteStore } from "@toolkeep/sqlite";
import { expect, test } from "vitest";
import { runProgram } from "../crash/run-program.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { testStoreContract } from "./store-contract.ts";

testStoreContract({ name: "in memory", open: () => memoryStore() });

testStoreContract({
  name: "on SQLite",
  open: () => openSqliteStore({ path: temporaryFolder(), durability: "normal" }),
  openAgain: (store) =>
    openSqliteStore({ path: (store as { path?: string }).path ?? "", durability: "normal" }),
});

test("the session of an owner that was killed with SIGKILL can be opened, and continues", async () => {
  const folder = temporaryFolder();
  const child = runProgram("write-session.ts", { folder, sessionId: "s", calls: 3, hold: true });
  await child.saidLines(1);
  await using store = openSqliteStore({ path: folder });
  await expect(store.open("s")).rejects.toMatchObject({ code: "session_in_use" });
  child.kill();
  await child.ended;
  const journal = await store.open("s");
  expect(journal.extent().nextSeq).toBeGreaterThan(3);
  expect(await journal.checked).toMatchObject({ intact: true });
});
