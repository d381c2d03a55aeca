import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import type { LeftAnswer } from "@toolkeep/core/journal";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";

import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import type { SqliteStore } from "./store.ts";

const SECRET = `ghp_${"a1B2".repeat(9)}`;

/** The files that contain a text. Another process searches: this one would lose the locks of the database by closing its files. */
function filesWith(folder: string, text: string): readonly string[] {
  try {
    const found = execFileSync("grep", ["-rlaF", "--", text, folder], { encoding: "utf8" });
    return found
      .trim()
      .split("\n")
      .map((path) => path.slice(folder.length + 1));
  } catch {
    return [];
  }
}

test("raw arguments are in files while the call is parked, and in none when it is settled", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  const stub = stubTool("risky", (args) => `it was ${String(args["token"])}`, { idempotent: false });
  const options = {
    id: "s",
    tools: [stub.tool],
    policy: [{ permission: "risky", action: "ask" }],
    approver: scriptedApprover("later"),
  } as const;
  const session = await createSession({ ...options, journal: store.journal("s"), pending: store.pending });
  const call = { id: "1", name: "risky", arguments: { token: SECRET } };
  expect(await session.run([call], { id: "turn" })).toMatchObject({ status: "waiting" });
  const holding = filesWith(folder, SECRET);
  expect(holding).toHaveLength(2);
  expect(holding.every((path) => path.startsWith("pending/"))).toBe(true);
  await session.close();
  await store.close();
  const later = openSqliteStore({ path: folder });
  const reopened = await createSession({ ...options, journal: later.journal("s"), pending: later.pending });
  await reopened.answer("turn/1", { verdict: "edit", arguments: { token: SECRET, why: "checked" } });
  expect(filesWith(folder, SECRET)).toHaveLength(3);
  expect(await reopened.resume("turn")).toMatchObject({ status: "done", results: [{ ok: true }] });
  expect(stub.executed).toEqual([{ token: SECRET, why: "checked" }]);
  expect(filesWith(folder, SECRET)).toEqual([]);
  expect(readdirSync(join(folder, "pending"))).toEqual([]);
  await reopened.close();
  await later.close();
  expect(filesWith(folder, SECRET)).toEqual([]);
  expect(filesWith(folder, "risky")).toEqual(["toolkeep.db"]);
});

test("a value can be replaced, does not affect others, and is wiped when it is deleted", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  const { pending } = store;
  pending.put("s/t", "first value");
  pending.put("s/t", "second value");
  pending.put("s/t/1", "another value");
  expect([pending.get("s/t"), pending.get("s/t/1"), pending.get("s/t/2")]).toEqual([
    "second value",
    "another value",
    undefined,
  ]);
  expect(filesWith(folder, "first value")).toEqual([]);
  pending.delete("s/t");
  pending.delete("s/t");
  expect(pending.get("s/t")).toBeUndefined();
  expect(filesWith(folder, "second value")).toEqual([]);
  expect(filesWith(folder, "another value")).toHaveLength(1);
  await store.close();
});

test("a link is never followed", async () => {
  const folder = temporaryFolder();
  const outside = join(temporaryFolder(), "outside");
  writeFileSync(outside, JSON.stringify(["s/t", "planted"]));
  const store = openSqliteStore({ path: folder });
  store.pending.put("s/t", "mine");
  const [name = ""] = readdirSync(join(folder, "pending"));
  store.pending.delete("s/t");
  symlinkSync(outside, join(folder, "pending", name));
  expect(store.pending.get("s/t")).toBeUndefined();
  store.pending.put("s/t", "mine");
  expect(store.pending.get("s/t")).toBe("mine");
  expect(filesWith(join(outside, ".."), "planted")).toEqual(["outside"]);
  await store.close();
});

test("opening a session removes arguments of turns that never began or are finished", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  store.pending.put("s/never", "abandoned");
  store.pending.put("other/turn", "kept");
  store.journal("s");
  expect([store.pending.get("s/never"), store.pending.get("other/turn")]).toEqual([undefined, "kept"]);
  await store.close();
});

test("a turn that is resumed to its end removes arguments that a killed process left of settled calls", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  const tools = ["free", "risky"].map((name) => stubTool(name).tool);
  const session = await createSession({
    ...{ id: "s", tools, journal: store.journal("s"), pending: store.pending },
    policy: ["allow free", "ask risky"],
    approver: scriptedApprover("later"),
  });
  const calls = ["free", "risky"].map((name, index) => ({ id: String(index), name, arguments: {} }));
  const { id } = await session.run(calls, { id: "t" });
  store.pending.put("s/t/0", "left");
  for (const request of await session.waiting()) await session.answer(request.id, { verdict: "once" });
  expect((await session.resume(id)).status).toBe("done");
  expect(readdirSync(join(folder, "pending"))).toEqual([]);
  await session.close();
  await store.close();
});

test("a file that a killed process overwrote and did not remove is removed when the store is opened", async () => {
  const folder = temporaryFolder();
  const first = openSqliteStore({ path: folder });
  for (const key of ["s/killed", "s/kept"]) first.pending.put(key, "arguments");
  first.pending.delete("s/kept");
  const [name = ""] = readdirSync(join(folder, "pending"));
  first.pending.put("s/kept", "arguments");
  writeFileSync(join(folder, "pending", name), new Uint8Array(20));
  await first.close();
  const store = openSqliteStore({ path: folder });
  expect(readdirSync(join(folder, "pending"))).toHaveLength(1);
  expect(store.pending.get("s/kept")).toBe("arguments");
  await store.close();
});

test("without full durability a wiped file is used again, other processes leave it alone, and closing removes it", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder, durability: "normal" });
  const files = () => readdirSync(join(folder, "pending")).map((name) => join(folder, "pending", name));
  const inode = () => files().map((path) => statSync(path).ino);
  store.pending.put("s/t1", "a value that is rather long");
  const [first] = inode();
  store.pending.delete("s/t1");
  expect(store.pending.get("s/t1")).toBeUndefined();
  expect(files().map((path) => /[^\0]/.test(readFileSync(path, "utf8")))).toEqual([false]);
  const other = openSqliteStore({ path: folder, durability: "normal" });
  for (const value of ["short", `longer ${"ä".repeat(500)}`]) {
    store.pending.put("s/t2", value);
    expect(inode()).toEqual([first]);
    expect(other.pending.get("s/t2")).toBe(value);
    store.pending.delete("s/t2");
  }
  store.pending.put("s/t3", "x".repeat(100_000));
  store.pending.put("s/t4", "kept");
  store.pending.delete("s/t3");
  await store.close();
  expect(files()).toHaveLength(1);
  expect(other.pending.get("s/t4")).toBe("kept");
  await other.close();
});

test("an answer can be sent from another process, and is taken once", async () => {
  const folder = temporaryFolder();
  const [here, there] = [openSqliteStore({ path: folder }), openSqliteStore({ path: folder })];
  const left = { sessionId: "s", requestId: "t1/1", answer: { verdict: "once", by: "ada" } } as const;
  await here.answer({ sessionId: "s", id: "t1/1" }, left.answer);
  await here.answer({ sessionId: "other", id: "t1/1" }, left.answer);
  expect(await taken(there, "s")).toEqual([left]);
  expect(await taken(there, "s")).toEqual([]);
  expect(await taken(here, "s")).toEqual([]);
  await here.close();
  await there.close();
});

async function taken(store: SqliteStore, sessionId: string): Promise<readonly LeftAnswer[]> {
  const given: LeftAnswer[] = [];
  await store.takeAnswers(sessionId, async (left) => given.push(left) > 0);
  return given;
}

test("an answer stays until it is taken: a refusal, an error and the end of the process lose none", async () => {
  const folder = temporaryFolder();
  const first = openSqliteStore({ path: folder });
  const answer = { verdict: "once", by: "ada" } as const;
  for (const n of [1, 2, 3]) await first.answer({ sessionId: "s", id: `t${n}/1` }, answer);
  const given: string[] = [];
  const taking = first.takeAnswers("s", async ({ requestId }) => {
    given.push(requestId);
    if (requestId === "t1/1") throw new Error("the disk is full");
    return requestId !== "t2/1";
  });
  await expect(taking).rejects.toThrow("the disk is full");
  expect(given).toEqual(["t1/1", "t2/1", "t3/1"]);
  await first.close();
  const second = openSqliteStore({ path: folder });
  expect((await taken(second, "s")).map(({ requestId }) => requestId)).toEqual(["t1/1", "t2/1"]);
  expect(await taken(second, "s")).toEqual([]);
  await second.close();
});

test("a session never takes what belongs to another one whose id begins the same", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  const answer = { verdict: "once", by: "ada" } as const;
  for (const sessionId of ["team", "team/ada", "team/ada/t1"])
    await store.answer({ sessionId, id: "t1/1" }, answer);
  expect((await taken(store, "team")).map(({ sessionId }) => sessionId)).toEqual(["team"]);
  expect((await taken(store, "team/ada")).map(({ sessionId }) => sessionId)).toEqual(["team/ada"]);
  expect((await taken(store, "team/ada/t1")).map(({ sessionId }) => sessionId)).toEqual(["team/ada/t1"]);
  // Keys of raw arguments begin with the id, so a session cannot have such an id.
  for (const sessionId of ["team/ada", "/", "team/"])
    expect(() => store.journal(sessionId)).toThrow(/must not contain a `\/`/);
  expect(store.sessions()).toEqual([]);
  await store.close();
});
