import { createSession, type Session } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { writeReport } from "../../hooks/answer/record-outcome.ts";
import { filterOf } from "./call-filter.ts";
import { FollowedCalls } from "./follow-calls.ts";
import type { LoggedCall } from "./logged-call.ts";
import { latestCalls } from "./logged-calls.ts";

let folder: string;
let store: SqliteStore;
/** Another process would have its own. */
let reader: SqliteStore;
beforeEach(() => {
  folder = temporaryFolder();
  store = openSqliteStore({ path: folder });
  reader = openSqliteStore({ path: folder });
});
afterEach(async () => {
  await store.close();
  await reader.close();
});

function opened(id: string, run: () => unknown = () => "done"): Promise<Session> {
  return createSession({ id, store, tools: [stubTool("work", run).tool] });
}

const ended = new AbortController();
const follow = (more: { readonly session?: string; readonly tool?: readonly string[] } = {}) =>
  new FollowedCalls(reader, {
    filter: filterOf(more),
    session: more.session,
    signal: ended.signal,
    onBroken: () => {},
  });

const next = async (calls: AsyncGenerator<LoggedCall>) => (await calls.next()).value as LoggedCall;

test("yields a call when it starts and when it has ended, and no call twice", async () => {
  const before = await opened("before");
  await before.call("work", {});
  const followed = follow();
  const shown = await latestCalls(reader, {
    ...{ sessions: reader.sessions(), last: 1, filter: filterOf({}) },
    onRead: (id, calls) => followed.note(id, calls),
    onBroken: () => {},
  });
  expect(shown).toMatchObject([{ sessionId: "before", outcome: "done" }]);
  const calls = followed.read();
  const finish = Promise.withResolvers<string>();
  const after = await opened("after", () => finish.promise);
  const running = after.call("work", {});
  expect(await next(calls)).toMatchObject({ sessionId: "after", decision: "allowed" });
  finish.resolve("done");
  await running;
  expect(await next(calls)).toMatchObject({ sessionId: "after", outcome: "done" });
  await before.call("work", {});
  expect(await next(calls)).toMatchObject({ sessionId: "before", turn: "t2", outcome: "done" });
  await before.close();
  await after.close();
});

test("yields what a client reports later, and only the session that was asked for", async () => {
  const [one, other] = [await opened("claude-code.one"), await opened("claude-code.two")];
  const calls = follow({ session: "claude-code.one" }).read();
  await other.call("work", {});
  await one.call({ id: "toolu_1", name: "work", arguments: {} });
  expect(await next(calls)).toMatchObject({ sessionId: "claude-code.one", callId: "toolu_1" });
  await one.call({ id: "toolu_2", name: "work", arguments: {} });
  expect(await next(calls)).toMatchObject({ callId: "toolu_2" });
  await one.close();
  await other.close();
});

test("yields the outcome of a call that the client ran", async () => {
  const { DELEGATED } = await import("../../clients/hook-call.ts");
  const session = await opened("claude-code.one", () => DELEGATED);
  const calls = follow().read();
  await session.call({ id: "toolu_1", name: "work", arguments: {} });
  expect(await next(calls)).toMatchObject({ callId: "toolu_1", outcome: "unknown" });
  await writeReport({ sessionId: "claude-code.one", callId: "toolu_1", outcome: "ran" }, folder);
  expect(await next(calls)).toMatchObject({ callId: "toolu_1", outcome: "ran" });
  await session.close();
});
