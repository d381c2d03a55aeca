import { execFileSync } from "node:child_process";
import type { Session, SessionOptions } from "@toolkeep/core";
import { createSessionWithPorts as createSession, type SessionPorts } from "@toolkeep/core/internal";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";

import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import type { SqliteStore } from "./store.ts";

const ASK = [{ permission: "work", action: "ask" }] as const;

function open(
  store: SqliteStore,
  sessionId: string,
  options: SessionOptions & SessionPorts = {},
): Promise<Session> {
  const { tool } = stubTool("work", () => "done", { idempotent: false });
  const journal = store.journal(sessionId);
  return createSession({ tools: [tool], ...options, id: sessionId, journal, pending: store.pending });
}

const call = (id: string) => ({ id, name: "work", arguments: { of: id } });

test("sessions are listed with their state, latest activity first", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  const before = Date.now();
  const closed = await open(store, "closed");
  await closed.call(call("1"));
  await closed.close();
  const parked = await open(store, "parked", { policy: ASK, approver: scriptedApprover("later") });
  await parked.run([call("1"), call("2")]);
  await parked.close();
  const running = await open(store, "running");
  await running.run([call("1"), call("2")]);
  await new Promise((resolve) => setTimeout(resolve, 2));
  await running.call(call("3"));
  const other = openSqliteStore({ path: folder });
  const listed = other.sessions();
  expect(listed).toMatchObject([
    { sessionId: "running", state: "open", isInUse: true, calls: 3, waiting: [] },
    { sessionId: "parked", state: "parked", isInUse: false, calls: 0, waiting: ["t1/1", "t1/2"] },
    { sessionId: "closed", state: "closed", isInUse: false, calls: 1, unfinishedTurns: [] },
  ]);
  for (const { openedAt, activeAt } of listed) expect(openedAt >= before && activeAt >= openedAt).toBe(true);
  expect(other.sessions({ limit: 2 })).toEqual(listed.slice(0, 2));
  expect(other.sessions({ state: "closed", limit: 1 })).toEqual(listed.slice(2));
  expect(await other.waiting()).toMatchObject([
    { sessionId: "parked", request: { id: "t1/1", toolName: "work", arguments: { of: "1" } } },
    { sessionId: "parked", request: { id: "t1/2", arguments: { of: "2" } } },
  ]);
  other.close();
  await store.close();
});

test("an expired request is not listed as waiting", async () => {
  const store = openSqliteStore({ path: temporaryFolder() });
  const settings = { approvalDeadlineMs: 1_000 };
  const session = await open(store, "s", {
    policy: ASK,
    approver: scriptedApprover("later"),
    limits: settings,
  });
  await session.run([call("1")]);
  expect(await store.waiting()).toHaveLength(1);
  await expect.poll(() => store.waiting()).toEqual([]);
  await store.close();
});

test("an approval for a project applies to later sessions, is listed, and can be forgotten", async () => {
  const folder = temporaryFolder();
  const first = openSqliteStore({ path: folder });
  const approver = scriptedApprover([{ verdict: "always", scope: "project", by: "ada" }]);
  const session = await open(first, "one", {
    policy: ASK,
    approver,
    projectApprovals: first.projectApprovals("/project"),
  });
  expect(await session.call(call("1"))).toMatchObject({ ok: true });
  await session.close();
  await first.close();
  const second = openSqliteStore({ path: folder });
  const approvals = second.projectApprovals("/project");
  const [kept] = approvals.list();
  expect(kept).toMatchObject({ toolName: "work", by: "ada", addedAt: expect.any(Number) });
  expect(second.projectApprovals("/elsewhere").list()).toEqual([]);
  const withoutApprover = { policy: ASK, projectApprovals: approvals };
  const later = await open(second, "two", withoutApprover);
  expect(await later.call(call("1"))).toMatchObject({ ok: true });
  expect(await later.call(call("2"))).toMatchObject({ failure: { code: "denied" } });
  approvals.forget(kept?.entry);
  expect(await later.call(call("1"))).toMatchObject({ failure: { code: "denied" } });
  approvals.add("x", { id: "i", lines: [], toolName: "t", origin: "o", approvalKey: "k", asker: "rules" });
  approvals.forget();
  expect(approvals.list()).toEqual([]);
  await second.close();
});

test("a forgotten session is in no file; a session in use cannot be forgotten", async () => {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  for (const name of ["gone-session", "kept-session"]) {
    const session = await open(store, name, { policy: ASK, approver: scriptedApprover("later") });
    await session.run([{ ...call("1"), arguments: { of: `text of ${name}` } }]);
    if (name === "gone-session") await session.close();
  }
  expect(grep(folder, "text of gone-session")).not.toBe(0);
  await store.forget("gone-session");
  await expect(store.forget("kept-session")).rejects.toThrow(/in use/);
  await expect(store.forget("gone-session")).rejects.toThrow(/no session "gone-session"/);
  expect(grep(folder, "gone-session")).toBe(0);
  expect(grep(folder, "text of kept-session")).not.toBe(0);
  expect(store.sessions().map(({ sessionId }) => sessionId)).toEqual(["kept-session"]);
  expect(await store.verify("kept-session")).toMatchObject({ intact: true });
  await store.close();
});

test("a sweep forgets old sessions, except those that are in use or wait for a person", async () => {
  const store = openSqliteStore({ path: temporaryFolder() });
  await (await open(store, "old")).close();
  const parked = await open(store, "parked", { policy: ASK, approver: scriptedApprover("later") });
  await parked.run([call("1")]);
  await parked.close();
  const running = await open(store, "running");
  await running.call(call("1"));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(await store.sweep({ olderThanMs: 60_000 })).toEqual([]);
  expect(await store.sweep({ olderThanMs: 10 })).toEqual(["old"]);
  expect(
    store
      .sessions()
      .map(({ sessionId }) => sessionId)
      .toSorted(),
  ).toEqual(["parked", "running"]);
  await store.close();
});

/** How many files contain a text. Another process counts them. */
function grep(folder: string, text: string): number {
  try {
    return execFileSync("grep", ["-rlaF", "--", text, folder], { encoding: "utf8" }).trim().split("\n")
      .length;
  } catch {
    return 0;
  }
}

test.each(["events", "export"] as const)(
  "%s of no session is an error that says what an id is",
  async (read) => {
    await using store = openSqliteStore({ path: temporaryFolder() });
    const reading = store[read](undefined as never)
      [Symbol.asyncIterator]()
      .next();
    await expect(reading).rejects.toMatchObject({
      code: "invalid_option",
      message: "A session id is a string, such as one of `store.sessions()`; got undefined.",
    });
  },
);
