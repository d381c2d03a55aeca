import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import type { Journal } from "@toolkeep/core/journal";
import { stubTool } from "@toolkeep/core/testing";
import { expect, test } from "vitest";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";
import { Owner } from "../../packages/sqlite/src/store/owner.ts";
import type { SqliteStore } from "../../packages/sqlite/src/store/store.ts";
import { runProgram } from "../crash/run-program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const call = { id: "c", name: "pay", arguments: {} };

/** Tells of every append and of both ends of every flush. */
function told(journal: Journal, tell: () => void): Journal {
  return {
    append(...event) {
      journal.append(...event);
      tell();
    },
    flush() {
      tell();
      return journal.flush()?.then(tell);
    },
    read: (query) => journal.read(query),
    extent: () => journal.extent(),
  };
}

/** Stops a call at one moment of its journal. Gives what is wrong then; `undefined` when the call was through before. */
async function stopAt(
  store: SqliteStore,
  moment: number,
  how: "cancel" | "close",
): Promise<string | undefined> {
  const sessionId = `${how}-${moment}`;
  let [moments, isStopped, startedLate] = [0, false, false];
  const { tool } = stubTool(
    "pay",
    () => {
      startedLate ||= isStopped;
      return "PAID";
    },
    { idempotent: false },
  );
  const journal = told(store.journal(sessionId), () => {
    moments += 1;
    if (moments !== moment + begun) return;
    isStopped = true;
    if (how === "close") closing = session.close();
    else session.cancel();
  });
  let begun = Number.POSITIVE_INFINITY;
  let closing: Promise<void> | undefined;
  const session = await createSession({ id: sessionId, tools: [tool], journal, pending: store.pending });
  begun = moments;
  await session.call(call);
  await (closing ?? session.close());
  const types = (await Array.fromAsync(store.events(sessionId))).map(({ type }) => type);
  const isFree = store.sessions().every((entry) => entry.sessionId !== sessionId || !entry.isInUse);
  store.journal(sessionId).close();
  if (!isStopped) return undefined;
  const isSettled = types.filter((type) => type === "call-end" || type === "call-refuse").length === 1;
  const isLast = types.indexOf("session-close") === types.length - 1;
  const { intact } = await store.verify(sessionId);
  return JSON.stringify({ startedLate, isFree, isSettled, isLast, intact });
}

test("[reading 1.1, 1.2] over the store: cancel and close at every append and flush leave one end, no lease and a whole chain", async () => {
  const store = openSqliteStore({ path: temporaryFolder(), durability: "normal" });
  const sound = JSON.stringify({
    startedLate: false,
    isFree: true,
    isSettled: true,
    isLast: true,
    intact: true,
  });
  for (const how of ["cancel", "close"] as const) {
    let moment = 1;
    for (; ; moment += 1) {
      const seen = await stopAt(store, moment, how);
      if (seen === undefined) break;
      expect([how, moment, seen]).toEqual([how, moment, sound]);
    }
    expect(moment).toBeGreaterThan(6);
  }
  await store.close();
});

test("[reading 1.2] a tool that ignores its signal and returns after the close writes nothing and takes no lease", async () => {
  const store = openSqliteStore({ path: temporaryFolder() });
  const late = Promise.withResolvers<string>();
  const { tool, executed } = stubTool("pay", () => late.promise, { idempotent: false });
  const options = { id: "s", tools: [tool], pending: store.pending };
  const session = await createSession({ ...options, journal: store.journal("s") });
  const calling = session.call(call);
  await expect.poll(() => executed.length).toBe(1);
  const [first, second] = [session.close(), session.close()];
  expect(await calling).toMatchObject({ failure: { code: "cancelled" } });
  await Promise.all([first, second]);
  late.resolve("PAID");
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect((await Array.fromAsync(store.events("s"))).at(-1)?.type).toBe("session-close");
  expect(() => session.forgetApprovals()).toThrow(/closed/);
  await expect(session.answer("t1/c", { verdict: "once" })).rejects.toMatchObject({ code: "session_closed" });
  const again = await createSession({ ...options, journal: store.journal("s") });
  await again.close();
  await store.close();
});

const TAMPERING = {
  "deleting all rows of turns": "DELETE FROM turns",
  "deleting the row that leads to the end of the turn":
    "DELETE FROM turns WHERE turn = 'order-17' AND first_seq = (SELECT max(first_seq) FROM turns WHERE turn = 'order-17')",
  "giving its rows to another turn": "UPDATE turns SET turn = 'order-18' WHERE turn = 'order-17'",
  "leading it to another batch": "UPDATE OR REPLACE turns SET first_seq = 0 WHERE turn = 'order-17'",
};

for (const [what, sql] of Object.entries(TAMPERING)) {
  test(`[platform A8] ${what} does not make a turn run twice, and is found`, async () => {
    const folder = temporaryFolder();
    const pay = stubTool("pay", () => "PAID", { idempotent: false });
    const options = { id: "s", tools: [pay.tool] };
    const first = openSqliteStore({ path: folder });
    const session = await createSession({ ...options, journal: first.journal("s"), pending: first.pending });
    await session.run([call], { id: "order-17" });
    await session.close();
    await first.close();

    const intact = openSqliteStore({ path: folder });
    const same = await createSession({ ...options, journal: intact.journal("s"), pending: intact.pending });
    expect(await same.run([call], { id: "order-17" })).toMatchObject({ status: "done" });
    await same.close();
    await intact.close();
    expect(pay.executed).toHaveLength(1);

    const db = new DatabaseSync(join(folder, "toolkeep.db"));
    db.exec(sql);
    db.close();
    const store = openSqliteStore({ path: folder });
    expect(await store.verify("s")).toMatchObject({ intact: false });
    // The record is also checked in the background, which may be over before the session is open.
    const again = createSession({ ...options, journal: store.journal("s"), pending: store.pending });
    const running = again.then((opened) => opened.run([call], { id: "order-17" }));
    await expect(running).rejects.toMatchObject({ code: "journal_broken" });
    expect(pay.executed).toHaveLength(1);
    await again.then((opened) => opened.close()).catch(() => {});
    try {
      await store.close();
    } catch {
      // It says that the journal is broken.
    }
  });
}

test("[reading 1.8] a sweep while an owner appears never takes a living owner for dead", async () => {
  const folder = temporaryFolder();
  openSqliteStore({ path: folder }).close();
  const sweeping = runProgram("../findings/lifecycle/sweep-owners.ts", { folder });
  await sweeping.saidLines(1);
  const watching = new Owner(folder);
  for (let n = 0; n < 60; n += 1) {
    const owner = new Owner(folder);
    owner.appear();
    expect([n, watching.isAlive(owner.token)]).toEqual([n, true]);
    owner.leave();
    expect([n, watching.isAlive(owner.token)]).toEqual([n, false]);
  }
  sweeping.kill();
  await sweeping.ended;
});

/** `npm run campaign:interleavings` kills at every moment. */
const kills = process.env["TOOLKEEP_RUNS"] === undefined ? [5] : Array.from({ length: 24 }, (_, n) => n + 1);

test.each(kills)(
  "[reading 1.2] a process that is killed (SIGKILL) at moment %i of its journal leaves no lease, and nothing runs twice",
  async (moment) => {
    const folder = temporaryFolder();
    const child = runProgram("../findings/lifecycle/killed-at.ts", { folder, moment });
    const { errors } = await child.ended;
    expect([moment, errors]).toEqual([moment, ""]);
    const pay = stubTool("pay", () => "PAID", { idempotent: false });
    const store = openSqliteStore({ path: folder });
    // Killed before its first write, the process left no session at all.
    expect(store.sessions().filter(({ isInUse }) => isInUse)).toEqual([]);
    const options = { id: "s", tools: [pay.tool], pending: store.pending };
    const session = await createSession({ ...options, journal: store.journal("s") });
    const hasRun = child.lines.includes("paid");
    const [turn] = store.sessions()[0]?.unfinishedTurns ?? [];
    if (turn !== undefined) {
      const { results } = await session.resume(turn);
      const came = results[0]?.ok === true ? "done" : results[0]?.failure?.code;
      expect([moment, hasRun, came]).toEqual([
        moment,
        hasRun,
        expect.stringMatching(/^done$|^outcome_unknown$/),
      ]);
    }
    expect([moment, pay.executed.length + Number(hasRun)]).toEqual([moment, expect.toSatisfy((n) => n <= 1)]);
    await session.close();
    expect(await store.verify("s")).toMatchObject({ intact: true });
    await store.close();
  },
);
