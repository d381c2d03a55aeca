import { createRedactor, type SessionStore } from "@toolkeep/core";
import type { JournalEntry, LeftAnswer, OpenJournal, StoreNews } from "@toolkeep/core/journal";

import { afterEach, describe, expect, test } from "vitest";
import { testAnswers } from "./answers-contract.ts";
import { testReading } from "./reading-contract.ts";

/** How the suite gets a store. */
export interface StoreUnderTest {
  readonly name: string;
  /** Opens an empty store. */
  open(): SessionStore | Promise<SessionStore>;
  /** Opens the same store as another process would. Left out: only one handle exists. */
  openAgain?(store: SessionStore): SessionStore | Promise<SessionStore>;
}

const START: JournalEntry = { type: "turn-start", calls: [] };
const END: JournalEntry = { type: "turn-end" };
const ONCE = { verdict: "once", by: "ada" } as const;

/** Everything that a session needs of its store, whatever the store is made of. */
export function testStoreContract({ name, open, openAgain }: StoreUnderTest): void {
  describe(`the session store ${name}`, () => {
    const opened: SessionStore[] = [];
    const newStore = async () => track(await open());
    /** The same store as another process sees it. */
    const elsewhere = async (store: SessionStore) =>
      openAgain === undefined ? store : track(await openAgain(store));

    function track(store: SessionStore): SessionStore {
      opened.push(store);
      return store;
    }

    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
    });

    testReading(newStore);
    testAnswers(newStore, elsewhere);

    test("a second opener is refused until the first releases the session", async () => {
      const store = await newStore();
      const first = await store.open("s");
      await append(first, "t1", START);
      await expect((await elsewhere(store)).open("s")).rejects.toMatchObject({ code: "session_in_use" });
      await first.release();
      await first.release();
      expect(() => first.append(1, 0, "t1", END)).toThrow();
      const second = await (await elsewhere(store)).open("s");
      expect(second.fence).not.toBe(first.fence);
      expect((await Array.fromAsync(second.read())).map(({ type }) => type)).toEqual(["turn-start"]);
    });

    test("after a session was taken over, the old owner's next flush fails and `lost` aborts", async () => {
      const store = await newStore();
      const first = await store.open("s");
      await append(first, "t1", START);
      const second = await (await elsewhere(store)).open("s", { steal: true });
      await expect(append(first, "t1", END)).rejects.toMatchObject({ code: "session_lost" });
      expect(first.lost.aborted).toBe(true);
      await first.release().catch(() => {});
      await append(second, "t1", END);
      expect(second.lost.aborted).toBe(false);
      expect((await Array.fromAsync(second.read())).map(({ type }) => type)).toEqual([
        "turn-start",
        "turn-end",
      ]);
    });

    test("`lost` aborts also without a flush", async () => {
      const store = await newStore();
      const first = await store.open("s");
      await append(first, "t1", START);
      await (await elsewhere(store)).open("s", { steal: true });
      await expect.poll(() => first.lost.aborted).toBe(true);
    });

    test("`unfinishedTurn` opens a session only if that turn is not finished", async () => {
      const store = await newStore();
      const first = await store.open("s");
      await append(first, "t1", START);
      await append(first, "t1", END);
      await append(first, "t2", START);
      await first.release();
      for (const turn of ["t1", "t9"])
        await expect(store.open("s", { unfinishedTurn: turn })).rejects.toMatchObject({
          code: "turn_unknown",
        });
      await (await store.open("s", { unfinishedTurn: "t2" })).release();
    });

    test("turns are unfinished from their start to their end, unless a process has the session open", async () => {
      const store = await newStore();
      const journal = await store.open("s");
      await append(journal, "t1", START);
      await append(journal, "t2", START);
      expect(await store.unfinished(10)).toEqual([]);
      await journal.release();
      expect(await store.unfinished(10)).toEqual([
        { sessionId: "s", turn: "t1" },
        { sessionId: "s", turn: "t2" },
      ]);
      expect(await store.unfinished(1)).toHaveLength(1);
      const again = await store.open("s");
      await append(again, "t1", END);
      await again.release();
      expect(await store.unfinished(10)).toEqual([{ sessionId: "s", turn: "t2" }]);
    });

    test("turns of subagents are not listed: only their parents can resume them", async () => {
      const store = await newStore();
      for (const [id, agents] of [
        ["root", []],
        ["root.1", ["scout"]],
        ["other", undefined],
      ] as const) {
        const journal = await store.open(id);
        const opened = {
          type: "session-open",
          sessionId: id,
          ...(agents === undefined ? {} : { agents }),
        } as const;
        await append(journal, "", opened);
        // What a call is given does not make a subagent of the session.
        const call = { id: "1", name: "t", arguments: { agents: ["scout"] } };
        await append(journal, "t1", { type: "turn-start", calls: [call] } as never);
        await journal.release();
      }
      const other = await elsewhere(store);
      await other.sendMessage("root.1", { text: "hello" });
      const listed = (await other.unfinished(10)).map(({ sessionId }) => sessionId);
      expect(listed.toSorted()).toEqual(["other", "root"]);
      // Its parent opens it by name.
      await (await other.open("root.1", { unfinishedTurn: "t1" })).release();
    });

    test("requests wait until they are answered, and expire", async () => {
      const store = await newStore();
      const journal = await store.open("s");
      const now = Date.now();
      await append(journal, "t1", START);
      await append(journal, "t1", request("1"), now - 3);
      await append(journal, "t1", request("2", now - 1), now - 2);
      await append(journal, "t1", request("3", now + 60_000), now - 1);
      const idsOf = (found: Awaited<ReturnType<SessionStore["waiting"]>>) =>
        found.map(({ request: { id } }) => id);
      expect(idsOf(await (await elsewhere(store)).waiting())).toEqual(["t1/1", "t1/3"]);
      expect(idsOf(await store.waiting({ limit: 1 }))).toEqual(["t1/1"]);
      expect(await store.waiting({ sessionId: "other" })).toEqual([]);
      expect(await store.expired(now - 2, 10)).toEqual([]);
      expect(idsOf(await store.expired(now - 1, 10))).toEqual(["t1/2"]);
      expect(await store.waiting()).toMatchObject([
        { sessionId: "s", askedAt: now - 3 },
        { sessionId: "s", askedAt: now - 1, expiresAt: now + 60_000 },
      ]);
      await append(journal, "t1", { type: "approval-answer", id: "1", answer: ONCE });
      expect(idsOf(await store.waiting())).toEqual(["t1/3"]);
    });

    test("a request is not listed as waiting once an answer was left, unless the session refuses that answer", async () => {
      const store = await newStore();
      const journal = await store.open("s");
      await append(journal, "t1", START);
      await append(journal, "t1", request("1"));
      await append(journal, "t1", request("2"));
      await (await elsewhere(store)).answer({ sessionId: "s", id: "t1/1" }, ONCE, { key: "k" });
      const ids = async () => (await store.waiting()).map(({ request: { id } }) => id);
      expect(await ids()).toEqual(["t1/2"]);
      await store.takeAnswers("s", async () => true);
      expect(await ids()).toEqual(["t1/1", "t1/2"]);
    });

    test("a turn that only waits for answers is unfinished once an answer was sent", async () => {
      const store = await newStore();
      const journal = await store.open("s");
      await append(journal, "t1", START);
      await append(journal, "t1", request("1"));
      await append(journal, "t1", { type: "turn-park", waiting: ["1"] });
      await journal.release();
      expect(await store.unfinished(10)).toEqual([]);
      await (await elsewhere(store)).answer({ sessionId: "s", id: "t1/1" }, ONCE);
      expect(await store.unfinished(10)).toEqual([{ sessionId: "s", turn: "t1" }]);
    });

    test("the run of an agent that waits for its calls is unfinished once an answer was sent", async () => {
      const store = await newStore();
      const journal = await store.open("s");
      await append(journal, "run-1", { type: "turn-start", calls: [], isRun: true });
      await append(journal, "m1", START);
      await append(journal, "m1", request("1"));
      await append(journal, "m1", { type: "turn-park", waiting: ["1"] });
      await append(journal, "run-1", { type: "turn-park", waiting: ["1"], of: "m1" });
      await journal.release();
      expect(await store.unfinished(10)).toEqual([]);
      await (await elsewhere(store)).answer({ sessionId: "s", id: "m1/1" }, ONCE);
      expect((await store.unfinished(10)).map(({ turn }) => turn).toSorted()).toEqual(["m1", "run-1"]);
    });

    test("the run of an agent whose child waits is unfinished once an answer was sent to the child", async () => {
      const store = await newStore();
      const child = await store.open("s.child");
      await append(child, "t1", START);
      await append(child, "t1", request("1"));
      await append(child, "t1", { type: "turn-park", waiting: ["1"] });
      await child.release();
      const journal = await store.open("s");
      await append(journal, "run-1", { type: "turn-start", calls: [], isRun: true });
      const elsewhereOf = (...ids: readonly string[]) => ids.map((id) => ({ sessionId: "s.child", id }));
      const park = { type: "turn-park", waiting: [], of: "m1" } as const;
      await append(journal, "run-1", { ...park, elsewhere: elsewhereOf("t1/1", "t1/2") });
      await journal.release();
      // One of the requests is not there: it was answered, or its session is gone.
      expect(await store.unfinished(10)).toEqual([{ sessionId: "s", turn: "run-1" }]);
      const again = await store.open("s");
      await append(again, "run-1", { ...park, elsewhere: elsewhereOf("t1/1") });
      await again.release();
      expect(await store.unfinished(10)).toEqual([]);
      await (await elsewhere(store)).answer({ sessionId: "s.child", id: "t1/1" }, ONCE);
      expect((await store.unfinished(10)).map(({ sessionId }) => sessionId).toSorted()).toEqual([
        "s",
        "s.child",
      ]);
    });

    test("answers are given in order, and stay until they are taken", async () => {
      const store = await newStore();
      const other = await elsewhere(store);
      for (const id of ["t1/1", "t1/2", "t1/3"]) await other.answer({ sessionId: "s", id }, ONCE);
      await other.answer({ sessionId: "s2", id: "t1/1" }, ONCE);
      const given: string[] = [];
      const taking = store.takeAnswers("s", async ({ requestId }) => {
        given.push(requestId);
        if (requestId === "t1/1") throw new Error("not now");
        return requestId !== "t1/2";
      });
      await expect(taking).rejects.toThrow("not now");
      expect(given).toEqual(["t1/1", "t1/2", "t1/3"]);
      expect((await take(store, "s")).map(({ requestId }) => requestId)).toEqual(["t1/1", "t1/2"]);
      expect(await take(store, "s")).toEqual([]);
      expect(await take(other, "s2")).toEqual([{ sessionId: "s2", requestId: "t1/1", answer: ONCE }]);
    });

    test("two answers with the same key count once, also after the first was taken", async () => {
      const store = await newStore();
      const sender = await elsewhere(store);
      const ref = { sessionId: "s", id: "t1/1" };
      await sender.answer(ref, ONCE, { key: "k1" });
      await sender.answer(ref, { verdict: "reject" }, { key: "k1" });
      await sender.answer(ref, { verdict: "reject" }, { key: "k2" });
      expect(await take(store, "s")).toEqual([
        { sessionId: "s", requestId: "t1/1", answer: ONCE, key: "k1" },
        { sessionId: "s", requestId: "t1/1", answer: { verdict: "reject" }, key: "k2" },
      ]);
      await sender.answer(ref, ONCE, { key: "k1" });
      expect(await take(store, "s")).toEqual([]);
    });

    test("answers to different requests are different, however their ids and keys are spelt", async () => {
      const store = await newStore();
      const sent = [["t1/pay", "1 x"] as const, ["t1/pay 1", "x"] as const, ['t1/pay","1', "x"] as const];
      for (const [id, key] of sent) await store.answer({ sessionId: "s", id }, ONCE, { key });
      expect((await take(store, "s")).map(({ requestId, key }) => [requestId, key])).toEqual(sent);
    });

    test("a cancellation reaches the open session with its next flush, and ends with the turn", async () => {
      const store = await newStore();
      const journal = await store.open("s");
      const news: StoreNews[] = [];
      journal.onNews?.((one) => news.push(one));
      await append(journal, "t1", START);
      await (await elsewhere(store)).cancel("s", "t1");
      await append(journal, "t1", { type: "call-late", callId: "1", tool: "work" });
      expect(news).toEqual([{ type: "cancel", turn: "t1" }]);
      await append(journal, "t1", END);
      await journal.release();
      expect(await newsOf(await store.open("s"))).toEqual([]);
    });

    test("a session learns of answers, messages and cancellations without a flush", async () => {
      const store = await newStore();
      const news: StoreNews[] = [];
      (await store.open("s")).onNews?.((one) => news.push(one));
      const other = await elsewhere(store);
      await other.answer({ sessionId: "s", id: "t1/1" }, ONCE);
      await expect.poll(() => news).toEqual([{ type: "answers" }]);
      await other.sendMessage("s", { text: "hello" });
      await other.cancel("s", "t1");
      await expect.poll(() => news).toHaveLength(3);
      await other.answer({ sessionId: "other", id: "t1/1" }, ONCE);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(news).toHaveLength(3);
    });

    test("what was sent before a session is opened is told when it listens", async () => {
      const store = await newStore();
      await store.answer({ sessionId: "s", id: "t1/1" }, ONCE);
      await store.sendMessage("s", { text: "one" });
      await store.sendMessage("s", { text: "two" });
      await store.cancel("s", "t1");
      const told = await newsOf(await (await elsewhere(store)).open("s"));
      expect(told.toSorted((a, b) => a.type.localeCompare(b.type))).toEqual([
        { type: "answers" },
        { type: "cancel", turn: "t1" },
        { type: "messages" },
      ]);
      expect(await store.takeMessages("s")).toEqual([{ text: "one" }, { text: "two" }]);
      expect(await store.takeMessages("s")).toEqual([]);
    });

    test("pending arguments, outputs and project approvals are there for the next opener", async () => {
      const store = await newStore();
      await store.pending.put("s/t1/1", "{}");
      const entry = { summary: "", tool: "work" } as never;
      await store.projectApprovals("/project").add("print", entry);
      const other = await elsewhere(store);
      expect(await other.pending.get("s/t1/1")).toBe("{}");
      expect(await other.projectApprovals("/project").has("print")).toBe(true);
      expect(await other.projectApprovals("/elsewhere").has("print")).toBe(false);
      const redactor = createRedactor();
      const file = await store.outputs?.("s", { redactor }).open("1");
      await file?.write(new TextEncoder().encode("large"));
      await file?.close();
      const read = await other.outputs?.("s", { redactor }).read(file?.path ?? "");
      if (file !== undefined) expect(new TextDecoder().decode(read)).toBe("large");
    });

    test("a forgotten session is gone with everything that was sent to it; one in use is not forgotten", async () => {
      const store = await newStore();
      const journal = await store.open("s");
      await append(journal, "t1", START);
      await store.pending.put("s/t1/1", "{}");
      await store.answer({ sessionId: "s", id: "t1/1" }, ONCE);
      await store.sendMessage("s", { text: "hello" });
      await expect((await elsewhere(store)).forget("s")).rejects.toMatchObject({ code: "session_in_use" });
      await journal.release();
      await (await elsewhere(store)).forget("s");
      expect(await store.pending.get("s/t1/1")).toBeUndefined();
      expect([await take(store, "s"), await store.takeMessages("s"), await store.unfinished(10)]).toEqual([
        [],
        [],
        [],
      ]);
      expect(await Array.fromAsync((await store.open("s")).read())).toEqual([]);
    });

    test("a closed store has released its sessions", async () => {
      const store = await newStore();
      const other = await elsewhere(store);
      if (other === store) return;
      const journal = await store.open("s");
      journal.append(0, 0, "t1", START);
      await store.close();
      await store.close();
      expect(await Array.fromAsync((await other.open("s")).read())).toHaveLength(1);
    });
  });
}

async function append(
  journal: OpenJournal,
  turn: string,
  entry: JournalEntry,
  at = Date.now(),
): Promise<void> {
  const { nextSeq } = await journal.extent();
  journal.append(nextSeq, at, turn, entry);
  await journal.flush();
}

function request(id: string, expiresAt?: number): JournalEntry {
  const asked = {
    id: `t1/${id}`,
    callId: id,
    toolName: "work",
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  return { type: "approval-request", id, request: asked as never };
}

async function take(store: SessionStore, sessionId: string): Promise<readonly LeftAnswer[]> {
  const given: LeftAnswer[] = [];
  await store.takeAnswers(sessionId, async (left) => given.push(left) > 0);
  return given;
}

async function newsOf(journal: OpenJournal): Promise<readonly StoreNews[]> {
  const news: StoreNews[] = [];
  journal.onNews?.((one) => news.push(one));
  await journal.release();
  return news;
}
