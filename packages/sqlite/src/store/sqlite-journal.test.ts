import { defineTool } from "@toolkeep/core";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { type JournalEntry, JsonText } from "@toolkeep/core/journal";

import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const entry = (n: number): JournalEntry => ({
  type: "step-end",
  id: `s${n}`,
  value: JsonText.of({ n, text: 'ä\n"' }),
});

/** Counts its calls. */
function countingTool(name: string) {
  return defineTool({
    name,
    description: "Counts.",
    inputSchema: { type: "object" },
    requires: {},
    mode: "read",
    idempotent: false,
    stateSlot: { version: 1 },
    execute(_args, { state }) {
      const count = Number(state.get() ?? 0) + 1;
      state.set(count);
      return count;
    },
  });
}

test("appended events are read in order, also before a flush, and the chain verifies", async () => {
  const store = openSqliteStore({ path: temporaryFolder() });
  const journal = store.journal("s");
  for (let n = 0; n < 500; n += 1) {
    journal.append(n, 1_000 + n, `t${n % 7}`, entry(n));
    if (n % 3 === 0) await journal.flush();
  }
  const all = await Array.fromAsync(journal.read());
  expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 500 }, (_, n) => n));
  expect(JSON.parse(JSON.stringify(all[499]))).toEqual({
    seq: 499,
    at: 1_499,
    turn: "t2",
    type: "step-end",
    id: "s499",
    value: { n: 499, text: 'ä\n"' },
  });
  expect((await Array.fromAsync(journal.read({ turn: "t3" }))).map(({ seq }) => seq % 7)).toEqual(
    Array(71).fill(3),
  );
  expect(await Array.fromAsync(journal.read({ types: ["turn-start"] }))).toEqual([]);
  expect(journal.extent()).toEqual({ nextSeq: 500, lastTurn: 6 });
  expect(await store.verify("s")).toMatchObject({ intact: true });
  await store.close();
});

test("flushes of one tick share one commit; without events there is nothing to await", async () => {
  const store = openSqliteStore({ path: temporaryFolder() });
  const journal = store.journal("s");
  const flushes: unknown[] = [];
  for (let n = 0; n < 20; n += 1) {
    journal.append(n, n, "t1", entry(n));
    flushes.push(journal.flush());
  }
  await Promise.all(flushes);
  expect(await store.verify("s")).toMatchObject({ batches: 1 });
  expect(journal.flush()).toBeUndefined();
  await store.close();
});

test("the same events are found through the index, by turn and by reading everything", async () => {
  const store = openSqliteStore({ path: temporaryFolder() });
  const risky = countingTool("risky");
  const journal = store.journal("s");
  const shared = { id: "s", tools: [risky], pending: store.pending };
  const rules = [{ permission: "risky", pattern: "*", action: "ask" }] as const;
  const session = await createSession({ ...shared, journal, policy: rules, approver: async () => "later" });
  const parked = [];
  for (let n = 0; n < 6; n += 1)
    parked.push(await session.run([{ id: "1", name: "risky", arguments: { n } }]));
  await session.answer("t1/1", { verdict: "once" });
  await session.answer("t2/1", { verdict: "always" });
  await session.answer("t3/1", { verdict: "reject" });
  for (const turn of ["t1", "t2", "t3"]) await session.resume(turn);
  const waiting = (await session.waiting()).map(({ id }) => id);
  expect(waiting).toEqual(["t4/1", "t5/1", "t6/1"]);
  expect((await store.waiting()).map(({ request }) => request.id)).toEqual(waiting);
  expect(store.sessions()).toMatchObject([
    { state: "parked", calls: 3, isInUse: true, unfinishedTurns: ["t4", "t5", "t6"], waiting },
  ]);
  const types = ["session-open", "state-write", "turn-start", "approval-remember"] as const;
  const standing = await Array.fromAsync(journal.read({ types, standing: true }));
  const all = await Array.fromAsync(journal.read({ types }));
  expect(all.length).toBeGreaterThan(standing.length);
  expect(standing.map(({ type, turn }) => `${type} ${turn}`)).toEqual([
    "session-open ",
    "turn-start t4",
    "turn-start t5",
    "turn-start t6",
    "approval-remember t2",
    "state-write t2",
  ]);
  expect(all).toEqual(expect.arrayContaining(standing));
  const turn = await Array.fromAsync(journal.read({ turn: "t2" }));
  expect(turn).toEqual((await Array.fromAsync(journal.read())).filter((event) => event.turn === "t2"));
  await store.close();
});

test("a later process continues a session: event numbers, turns, state and approvals", async () => {
  const folder = temporaryFolder();
  const options = { id: "s", tools: [countingTool("count")] };
  const first = openSqliteStore({ path: folder });
  const session = await createSession({ ...options, journal: first.journal("s"), pending: first.pending });
  for (let n = 0; n < 3; n += 1) await session.call({ id: "1", name: "count", arguments: {} });
  await session.close();
  await first.close();
  const second = openSqliteStore({ path: folder });
  const journal = second.journal("s");
  const reopened = await createSession({ ...options, journal, pending: second.pending });
  expect((await reopened.call({ id: "1", name: "count", arguments: {} })).data).toBe(4);
  const events = await Array.fromAsync(journal.read());
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect(events.at(-1)?.turn).toBe("t4");
  expect(await journal.checked).toMatchObject({ intact: true });
  await expect(createSession({ ...options, id: "other", journal })).rejects.toMatchObject({
    code: "invalid_option",
  });
  await reopened.close();
  expect(await second.verify("s")).toMatchObject({ intact: true });
  const lines = await Array.fromAsync(second.export("s"));
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(
    (await Array.fromAsync(second.events("s"))).map(({ type }) => type),
  );
  await second.close();
});

test("an event out of order is refused, and so is everything after it", async () => {
  const store = openSqliteStore({ path: temporaryFolder() });
  const journal = store.journal("s");
  journal.append(0, 0, "t1", entry(0));
  expect(() => journal.append(2, 0, "t1", entry(2))).toThrow(/event 2 was appended, and 1 is next/);
  expect(() => journal.append(1, 0, "t1", entry(1))).toThrow(/cannot be continued/);
  await expect(journal.flush()).rejects.toMatchObject({ code: "journal_broken" });
  await store.close();
  expect(() => journal.append(1, 0, "t1", entry(1))).toThrow();
});
