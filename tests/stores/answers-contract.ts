import { createSession, type SessionStore } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { expect, onTestFinished, test, vi } from "vitest";

const DAY_MS = 24 * 3_600_000;
const CALL = { id: "1", name: "pay", arguments: { to: "jane@example.com" } };

/** What stores that outlive a process can do besides. */
interface KeepingStore extends SessionStore {
  sweep(options: { readonly olderThanMs: number }): Promise<readonly string[]>;
  erase(sessionId: string): Promise<readonly number[]>;
  verify(sessionId: string): Promise<{ readonly intact: boolean }>;
}

function isKeeping(store: SessionStore): store is KeepingStore {
  return "sweep" in store && "erase" in store;
}

/** A session that asks before it pays, and asks its user which account. */
function paying(store: SessionStore, id = "s") {
  const pay = stubTool("pay", () => "paid", { idempotent: false });
  const which = stubTool("which", async (_args, ctx) => ctx.ask([{ question: "Which?" }]));
  const open = () =>
    createSession({
      ...{ id, store, tools: [pay.tool, which.tool], policy: ["ask pay", "allow which"] },
      approver: { approve: async () => "later", answer: async () => "later" },
    });
  return { pay, open };
}

async function waits(store: SessionStore, { id = "s", call = CALL, daysAgo = 0 } = {}): Promise<void> {
  if (daysAgo > 0) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - daysAgo * DAY_MS });
    onTestFinished(() => void vi.useRealTimers());
  }
  try {
    const session = await paying(store, id).open();
    expect((await session.run([call], { id: "t" })).status).toBe("waiting");
    await session.leave();
  } finally {
    vi.useRealTimers();
  }
}

const WHICH = { id: "1", name: "which", arguments: {} as never };
const ONCE = { verdict: "once", by: "ada" } as const;

/** The same store, which tells its sessions nothing: as one whose notice comes too late. */
function silent(store: SessionStore): SessionStore {
  const without = <Of extends object>(whole: Of, name: string, other: unknown): Of =>
    new Proxy(whole, {
      get(target, key) {
        if (key === name) return other;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const open: SessionStore["open"] = async (...asked) =>
    without(await store.open(...asked), "onNews", undefined);
  return without(store, "open", open);
}

/** How answers reach sessions, and how long they are waited for. */
export function testAnswers(
  newStore: () => Promise<SessionStore>,
  elsewhere: (store: SessionStore) => Promise<SessionStore>,
): void {
  test.each([
    ["an approval", CALL, "t/1", ONCE, { ok: true, data: "paid" }],
    ["a rejection", CALL, "t/1", { verdict: "reject" }, { ok: false }],
    ["the answer to a question", WHICH, "t/1/question/1", [["mine"]], { ok: true, data: [["mine"]] }],
  ])("%s that was left is taken by the same turn again, whether it is run or resumed", async (...given) => {
    const [, call, id, answer, result] = given;
    const store = await newStore();
    const sender = await elsewhere(store);
    const kinds = Array.from({ length: 4 }, (_, n) => (n % 2 === 0 ? "run" : "resume"));
    for (const [n, how] of kinds.entries()) {
      const sessionId = `s${n}`;
      await waits(store, { id: sessionId, call });
      await sender.answer({ sessionId, id }, answer as never);
      const session = await paying(silent(store), sessionId).open();
      const turn = await (how === "run" ? session.run([call], { id: "t" }) : session.resume("t"));
      expect([how, turn]).toMatchObject([how, { status: "done", results: [result] }]);
      await session.leave();
    }
  });

  test("an answer left for an earlier call does not answer a later one of the same name", async () => {
    const store = await newStore();
    const { pay, open } = paying(store);
    const first = await open();
    const asking = first.call(CALL, { id: "t" }).catch(() => undefined);
    await expect.poll(async () => (await store.waiting()).length).toBe(1);
    // Its process ends while it waits.
    const after = await store.open("s", { steal: true });
    await after.release();
    await asking;
    await (await elsewhere(store)).answer({ sessionId: "s", id: "t/1" }, ONCE);
    const second = await open();
    const again = second.call({ ...CALL, arguments: { to: "eve@example.com" } }, { id: "t" });
    await expect.poll(async () => (await second.waiting()).length).toBe(1);
    await second.answer("t/1", { verdict: "reject" });
    expect((await again).ok).toBe(false);
    expect(pay.executed).toEqual([]);
    await second.leave();
  });

  test.each([
    ["a text", "t/1", "yes"],
    ["nothing", "t/1", null],
    ["another verdict", "t/1", { verdict: "yes" }],
    ["a field that is not known", "t/1", { verdict: "once", until: "friday" }],
    ["an edit without arguments", "t/1", { verdict: "edit" }],
    ["half a signature", "t/1", { statement: {}, signature: 1 }],
    ["the answer to a question", "t/1", [["yes"]]],
    ["an approval", "t/1/question/1", ONCE],
    ["lists of numbers", "t/1/question/1", [[1]]],
    ["too many lists", "t/1/question/1", [["a"], ["b"]]],
    ["a text, before its request is known", "t9/1", "yes"],
  ])("%s is no answer to %s, and is refused where it is given", async (_what, id, answer) => {
    const store = await newStore();
    await waits(store, { call: id.includes("question") ? WHICH : CALL });
    const sender = await elsewhere(store);
    await expect(sender.answer({ sessionId: "s", id }, answer as never)).rejects.toMatchObject({
      code: "answer_refused",
    });
    const left: unknown[] = [];
    await store.takeAnswers("s", async (one) => left.push(one) > 0);
    expect(left).toEqual([]);
    expect(await store.waiting()).toHaveLength(1);
  });

  test("an unsigned approval of what needs signatures is refused where it is given, and a rejection is not", async () => {
    const store = await newStore();
    const journal = await store.open("s");
    const needs = [{ group: "payments", count: 1 }];
    const request = { id: "t/1", sessionId: "s", callId: "1", toolName: "pay", needs };
    journal.append(0, Date.now(), "t", { type: "turn-start", calls: [] });
    journal.append(1, Date.now(), "t", { type: "approval-request", id: "1", request: request as never });
    await journal.flush();
    const given = store.answer({ sessionId: "s", id: "t/1" }, ONCE);
    await expect(given).rejects.toThrow("needs signatures");
    await store.answer({ sessionId: "s", id: "t/1" }, { verdict: "reject" });
    await journal.release();
  });

  test.each([
    ["a call", CALL, "t/1", ONCE, { ok: false, failure: { message: "Denied: no answer came in time." } }],
    ["a question", WHICH, "t/1/question/1", [["late"]], { data: [] }],
  ])("%s that waits for 30 days ends without an answer", async (_what, call, id, answer, result) => {
    const store = await newStore();
    await waits(store, { id: "fresh", call, daysAgo: 29 });
    await waits(store, { call, daysAgo: 31 });
    const seen = await elsewhere(store);
    expect((await seen.waiting()).map(({ sessionId }) => sessionId)).toEqual(["fresh"]);
    expect((await seen.expired(Date.now(), 10)).map(({ sessionId }) => sessionId)).toEqual(["s"]);
    await expect(seen.answer({ sessionId: "s", id }, answer as never)).rejects.toThrow("time for it is over");
    const { pay, open } = paying(store);
    const session = await open();
    await expect(session.answer(id, answer as never)).rejects.toThrow("time for it is over");
    expect(await session.resume("t")).toMatchObject({ status: "done", results: [result] });
    expect(pay.executed).toEqual([]);
    const types = (await Array.fromAsync(session.journal.read({ turn: "t" }))).map(({ type }) => type);
    expect(types.slice(types.findLastIndex((type) => type.endsWith("-request")))).toContain(
      id === "t/1" ? "approval-answer" : "question-answer",
    );
    await session.leave();
    expect(await seen.expired(Date.now(), 10)).toEqual([]);
  });

  test("the time that a session sets counts instead of the 30 days", async () => {
    const store = await newStore();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 31 * DAY_MS });
    onTestFinished(() => void vi.useRealTimers());
    const { tool } = stubTool("pay", () => "paid", { idempotent: false });
    const open = () =>
      createSession({
        ...{ id: "s", store, tools: [tool], policy: ["ask pay"], approver: async () => "later" as const },
        limits: { approvalDeadlineMs: 60 * DAY_MS },
      });
    const first = await open();
    await first.run([CALL], { id: "t" });
    await first.leave();
    vi.useRealTimers();
    expect(await store.waiting()).toHaveLength(1);
    await store.answer({ sessionId: "s", id: "t/1" }, ONCE);
    const session = await open();
    expect((await session.resume("t")).results[0]?.data).toBe("paid");
    await session.leave();
  });

  test("retention and erasure reach a session that waited too long, and no other that waits", async () => {
    const store = await newStore();
    if (!isKeeping(store)) return;
    for (const call of [CALL, WHICH]) {
      const id = `old-${call.name}`;
      await waits(store, { id, call, daysAgo: 31 });
      expect((await store.erase(id)).length).toBeGreaterThan(0);
      expect(await store.verify(id)).toMatchObject({ intact: true });
      expect(await store.pending.get(`${id}/t`)).toBeUndefined();
      const session = await paying(store, id).open();
      const events = await Array.fromAsync(session.journal.read());
      expect(JSON.stringify(events)).not.toContain("jane@example.com");
      expect(events.map(({ type }) => type)).toContain("turn-end");
      await session.leave();
      expect(await store.sweep({ olderThanMs: DAY_MS })).toEqual([]);
    }
    await waits(store, { id: "fresh", daysAgo: 29 });
    await waits(store, { id: "gone", daysAgo: 31 });
    await expect(store.erase("fresh")).rejects.toThrow("waits for an answer");
    expect(await store.sweep({ olderThanMs: DAY_MS })).toEqual(["gone"]);
    await store.answer({ sessionId: "fresh", id: "t/1" }, ONCE);
    const session = await paying(store, "fresh").open();
    expect((await session.run([CALL], { id: "t" })).results[0]?.data).toBe("paid");
    await session.leave();
  });

  test("an agent that waits for the request of its subagent is swept once that has expired", async () => {
    const store = await newStore();
    if (!isKeeping(store)) return;
    await waits(store, { id: "s.child", daysAgo: 31 });
    await waits(store, { id: "other.child", daysAgo: 29 });
    for (const id of ["s", "other"]) {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 31 * DAY_MS });
      onTestFinished(() => void vi.useRealTimers());
      const journal = await store.open(id);
      const elsewhereOf = [{ sessionId: `${id}.child`, id: "t/1" }];
      const at = Date.now();
      vi.useRealTimers();
      journal.append(0, at, "run-1", { type: "turn-start", calls: [], isRun: true });
      journal.append(1, at, "run-1", { type: "turn-park", waiting: [], of: "m1", elsewhere: elsewhereOf });
      await journal.release();
    }
    await expect(store.erase("other")).rejects.toThrow("not finished");
    await store.erase("s");
    const swept = await store.sweep({ olderThanMs: DAY_MS });
    expect(swept.toSorted()).toEqual(["s.child"]);
    expect((await store.unfinished(10)).map(({ sessionId }) => sessionId)).not.toContain("s");
  });
}
