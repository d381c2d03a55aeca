import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { stubTool } from "@toolkeep/core/testing";

import { expect, test } from "vitest";
import { runProgram } from "../../../../tests/crash/run-program.ts";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const isWindows = process.platform === "win32";

test.skipIf(isWindows)("no other user can read anything in a store (not on Windows)", async () => {
  const folder = join(temporaryFolder(), "store");
  const store = openSqliteStore({ path: folder });
  const session = await createSession({
    tools: [stubTool("a").tool],
    journal: store.journal("s"),
    pending: store.pending,
  });
  await session.run([{ id: "1", name: "a", arguments: {} }]);
  store.pending.put("s/t/1", "{}");
  await store.answer({ sessionId: "s", id: "t/1" }, { verdict: "once" });
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  expect(found.length).toBeGreaterThan(8);
  for (const entry of found) {
    const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
    expect([entry.name, mode]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600]);
  }
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await session.close();
  await store.close();
});

test.skipIf(isWindows)(
  "a folder that other users can read, and a database that is a link, are refused",
  () => {
    const open = temporaryFolder();
    chmodSync(open, 0o755);
    expect(() => openSqliteStore({ path: open })).toThrow(/other users can read it/);
    const linked = temporaryFolder();
    symlinkSync("/dev/null", join(linked, "toolkeep.db"));
    expect(() => openSqliteStore({ path: linked })).toThrow(/not a regular file/);
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(() => openSqliteStore({ path: file })).toThrow();
  },
);

test("a database of another program or a later version, and a file that is no database, are refused and not changed", () => {
  const foreign = temporaryFolder();
  const other = new DatabaseSync(join(foreign, "toolkeep.db"));
  other.exec("CREATE TABLE mine (x)");
  other.close();
  expect(() => openSqliteStore({ path: foreign })).toThrow(/database of another program/);
  const later = temporaryFolder();
  openSqliteStore({ path: later }).close();
  const db = new DatabaseSync(join(later, "toolkeep.db"));
  db.exec("PRAGMA user_version = 99");
  db.close();
  expect(() => openSqliteStore({ path: later })).toThrow(/version 99.*Upgrade @toolkeep\/sqlite/);
  const garbage = temporaryFolder();
  writeFileSync(join(garbage, "toolkeep.db"), "no database ".repeat(1000), { mode: 0o600 });
  expect(() => openSqliteStore({ path: garbage })).toThrow(/cannot be opened: file is not a database/);
});

test("processes that create a store at the same moment all open it, and lose nothing that they write", async () => {
  const folder = join(temporaryFolder(), "store");
  const children = Array.from({ length: 3 }, (_, index) =>
    runProgram("write-session.ts", { folder, sessionId: `s${index}`, calls: 20 }),
  );
  const ended = await Promise.all(children.map((child) => child.ended));
  expect(ended.map(({ code, errors }) => [code, errors])).toEqual(Array(3).fill([0, ""]));
  const store = openSqliteStore({ path: folder });
  expect(store.sessions().map(({ calls }) => calls)).toEqual([20, 20, 20]);
  for (const { sessionId } of store.sessions())
    expect(await store.verify(sessionId)).toMatchObject({ intact: true });
  await store.close();
});

test("a closed store leaves nothing behind but its files", async () => {
  const folder = join(temporaryFolder(), "deep", "store");
  mkdirSync(join(folder, ".."), { recursive: true });
  const store = openSqliteStore({ path: folder });
  store.journal("s");
  expect(readdirSync(join(folder, "owners"))).toHaveLength(1);
  await store.close();
  await store.close();
  expect(readdirSync(join(folder, "owners"))).toEqual([]);
  expect(existsSync(join(folder, "toolkeep.db-wal"))).toBe(false);
  const again = openSqliteStore({ path: folder });
  expect(again.sessions()).toEqual([]);
  await again.close();
});

test("an unknown option is refused with a suggestion", () => {
  const misspelled = { path: temporaryFolder(), durabilty: "normal" } as never;
  expect(() => openSqliteStore(misspelled)).toThrow(
    'Unknown store option "durabilty". Did you mean "durability"?',
  );
});
