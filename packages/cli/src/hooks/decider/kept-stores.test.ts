import { chmodSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createRegistry, createSession, type SessionStore } from "@toolkeep/core";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { KeptStores } from "./kept-stores.ts";

let base: string;
let folder: string;
let stores: KeptStores;
beforeEach(() => {
  base = temporaryFolder();
  folder = join(base, "sessions");
  stores = new KeptStores();
});
afterEach(() => stores.close());

const sessionIn = (store: SessionStore) =>
  createSession({ id: "one", store, registry: createRegistry(), policy: { builtIn: "off" } });

/** Opens a session, closes it, and returns the store. */
const used = () =>
  stores.use(folder, async (store) => {
    const session = await sessionIn(store);
    await session.close();
    return store;
  });

test("a store stays open, and other processes can open its sessions in between", async () => {
  const first = await used();
  await using other = openSqliteStore({ path: folder });
  const session = await sessionIn(other);
  expect(first.sessions()).toMatchObject([{ isInUse: true }]);
  await expect(used()).rejects.toMatchObject({ code: "session_in_use" });
  await session.close();
  expect((await used()).sessions()).toMatchObject([{ isInUse: false }]);
});

test("the same store is used again, also at the same time", async () => {
  const first = await used();
  const both = await Promise.all([
    stores.use(folder, async (store) => store),
    stores.use(folder, async (store) => store),
  ]);
  expect(both).toEqual([first, first]);
});

test.each([
  ["removed", () => rmSync(folder, { recursive: true })],
  ["replaced", () => renameSync(folder, join(base, "elsewhere"))],
])("a store whose directory was %s is opened again at its path", async (_, change) => {
  const first = await used();
  change();
  const second = await used();
  expect(second).not.toBe(first);
  expect(second.sessions()).toHaveLength(1);
});

test("a directory that has become open to other users is refused, as without a decider", async () => {
  await used();
  chmodSync(folder, 0o755);
  await expect(used()).rejects.toMatchObject({ code: "invalid_option" });
});

test("what a failed decision left open is closed with its store", async () => {
  let left: SqliteStore | undefined;
  const failing = stores.use(folder, async (store) => {
    left = store;
    await sessionIn(store);
    throw new Error("failed");
  });
  await expect(failing).rejects.toThrow("failed");
  expect(await used()).not.toBe(left);
});

test("nothing is open after it was closed", async () => {
  const store = await used();
  await stores.close();
  expect(() => store.sessions()).toThrow();
});
