import { describe, expect, test } from "vitest";
import { until } from "../../../../tests/scenario.ts";
import { ToolFailure } from "../contract/call/result.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import type { Journal } from "../contract/store/store.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { memoryPending } from "../journal/memory-pending.ts";
import { recordedSteps } from "../replay/replay-journal.ts";
import { runTwice } from "../testing/run-twice.test.kit.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { type StubTool, stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";

const call = (id: string, name: string): ToolCall => ({ id, name, arguments: {} });
const never = () => new Promise<never>(() => {});

/** Runs one call until it hangs, leaves its process behind, and resumes the turn in the next. */
async function cutOff(stub: StubTool, isHanging: () => boolean, afterwards: () => void) {
  const journal = memoryJournal();
  const options = { id: "s", tools: [stub.tool], journal, pending: memoryPending() };
  const first = await createSession(options);
  void first.run([call("1", stub.tool.name)], { id: "turn" });
  await until(isHanging);
  afterwards();
  const next = await createSession(options);
  const outcome = await next.resume("turn");
  await next.close();
  return { result: outcome.results[0], outcome, journal };
}

describe("recover", () => {
  /** A tool whose effect may have happened when its process ends, and what it says about that afterwards. */
  async function recovered(recover: () => unknown) {
    let isLater = false;
    let asked = 0;
    const stub = stubTool("pay", () => (isLater ? "paid now" : never()), {
      idempotent: false,
      recover: (_args, ctx) => {
        asked += 1;
        expect(ctx.idempotencyKey).toBe("s/turn/1");
        expect(Object.keys(ctx)).not.toContain("ask");
        return recover() as never;
      },
    });
    const ended = await cutOff(
      stub,
      () => stub.executed.length === 1,
      () => (isLater = true),
    );
    const events = await Array.fromAsync(ended.journal.read());
    const said = events.flatMap((event) =>
      event.type === "step-end" && event.id === "1/recover" ? [event.value.value] : [],
    );
    return { ...ended, stub, said, timesAsked: () => asked, types: events.map(({ type }) => type) };
  }

  test("what happened is recorded with its value, and not done again", async () => {
    const { result, stub, said, types } = await recovered(() => ({ happened: true, value: "paid before" }));
    expect(result).toMatchObject({ ok: true, data: "paid before" });
    expect([stub.executed.length, said]).toEqual([1, [true]]);
    expect(types.filter((type) => type === "step-intent")).toHaveLength(1);
  });

  test("what did not happen is run, behind an intent of its own", async () => {
    const { result, stub, said, types } = await recovered(() => ({ happened: false }));
    expect(result).toMatchObject({ ok: true, data: "paid now" });
    expect([stub.executed.length, said]).toEqual([2, [false]]);
    const gate = types.filter((type) => type.startsWith("step-"));
    expect(gate).toEqual(["step-intent", "step-end", "step-withdraw", "step-intent"]);
  });

  test.each([
    ["does not know", () => undefined, false],
    ["fails", () => Promise.reject(new ToolFailure("unavailable", "The bank is closed.")), false],
    ["crashes", () => Promise.reject(new Error("a mistake")), true],
    ["gives no proper answer", () => ({ happened: "yes" }), true],
  ])("a tool that %s leaves the outcome unknown", async (_name, recover, isReported) => {
    const { result, stub, types } = await recovered(recover);
    expect(result?.failure?.code).toBe("outcome_unknown");
    expect(stub.executed).toHaveLength(1);
    expect(types.includes("tool-crash")).toBe(isReported);
  });

  test("a tool that takes too long to find out leaves the outcome unknown", async () => {
    const options = { id: "s", journal: memoryJournal(), pending: memoryPending() };
    const first = stubTool("pay", never, { idempotent: false, recover: never });
    void (await createSession({ ...options, tools: [first.tool] })).run([call("1", "pay")], { id: "turn" });
    await until(() => first.executed.length === 1);
    const second = stubTool("pay", never, { idempotent: false, timeoutMs: 20, recover: never });
    const next = await createSession({ ...options, tools: [second.tool], limits: { graceMs: 1 } });
    const { results } = await next.resume("turn");
    expect(results[0]?.failure?.code).toBe("outcome_unknown");
  });

  test("a secret in what is recovered is replaced like in any result", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const { result, journal } = await recovered(() => ({ happened: true, value: { token: secret } }));
    expect(JSON.stringify(result)).not.toContain(secret);
    expect(JSON.stringify(await Array.fromAsync(journal.read()))).not.toContain(secret);
  });

  test.each([
    ["happened", () => ({ happened: true, value: 1 })],
    ["did not happen", () => ({ happened: false })],
    ["is unknown", () => undefined],
  ])("the record of a call that %s is replayed without asking the tool", async (_name, recover) => {
    const { outcome, journal, stub, timesAsked } = await recovered(recover);
    const executed = stub.executed.length;
    const again = await createSession({
      id: "s",
      tools: [stub.tool],
      journal: memoryJournal(),
      steps: await recordedSteps(journal),
    });
    const replayed = await again.run([call("1", "pay")], { id: "turn" });
    expect(replayed.results).toEqual(outcome.results);
    expect([timesAsked(), stub.executed.length]).toEqual([1, executed]);
  });

  test("a call that never began is not asked about", async () => {
    const stub = stubTool("pay", () => "paid", {
      idempotent: false,
      recover: () => {
        throw new Error("asked");
      },
    });
    const { outcome, replayed } = await runTwice({ tools: [stub.tool] }, (session) =>
      session.run([call("1", "pay")], { id: "turn" }),
    );
    expect(outcome.results[0]?.data).toBe("paid");
    expect(replayed.results).toEqual(outcome.results);
  });
});

describe("acting", () => {
  /** A tool that announces, and hangs before or after that in its first process. */
  async function announcing(hangs: "before" | "after") {
    let isLater = false;
    let isHanging = false;
    const hang = () => {
      isHanging = true;
      return never();
    };
    const stub = stubTool(
      "send",
      async (_args, ctx) => {
        if (hangs === "before" && !isLater) await hang();
        await ctx.acting();
        if (hangs === "after" && !isLater) await hang();
        return "sent";
      },
      { idempotent: false, announces: true },
    );
    return cutOff(
      stub,
      () => isHanging,
      () => (isLater = true),
    ).then((ended) => ({ ...ended, stub }));
  }

  test("a call that was cut off before it is run again", async () => {
    const { result, stub } = await announcing("before");
    expect([result?.data, stub.executed.length]).toEqual(["sent", 2]);
  });

  test("a call that was cut off after it is unknown", async () => {
    const { result, stub } = await announcing("after");
    expect([result?.failure?.code, stub.executed.length]).toEqual(["outcome_unknown", 1]);
  });

  test("an announced call makes as many commits as one that is not, and is replayed", async () => {
    const commits = async (announces: boolean) => {
      const tool = stubTool("send", (_args, ctx) => ctx.acting(), { idempotent: false, announces }).tool;
      const { journal, count } = counting();
      const session = await createSession({ tools: [tool], journal });
      const before = count();
      await session.call(call("1", "send"));
      const made = count() - before;
      await session.close();
      return made;
    };
    expect([await commits(true), await commits(false)]).toEqual([2, 2]);
    const { tool } = stubTool("send", (_args, ctx) => ctx.acting().then(() => "sent"), {
      idempotent: false,
      announces: true,
    });
    const { outcome, replayed, events } = await runTwice({ tools: [tool] }, (session) =>
      session.run([call("1", "send")], { id: "turn" }),
    );
    expect(replayed.results).toEqual(outcome.results);
    const order = events.map(({ type }) => type).filter((type) => /^(call|step)-/.test(type));
    expect(order).toEqual(["call-start", "step-intent", "call-end"]);
  });

  test("a call that is cancelled while its announcement becomes durable does not act", async () => {
    const inner = memoryJournal();
    const gate = Promise.withResolvers<void>();
    let isIntended = false;
    const journal: Journal = {
      append: (seq, at, turn, entry) => {
        if (entry.type === "step-intent") isIntended = true;
        inner.append(seq, at, turn, entry);
      },
      flush: () => (isIntended ? gate.promise : inner.flush()),
      read: (query) => inner.read(query),
      extent: () => inner.extent(),
    };
    let hasActed = false;
    const { tool } = stubTool(
      "send",
      async (_args, ctx) => {
        await ctx.acting();
        hasActed = true;
      },
      { idempotent: false, announces: true },
    );
    const session = await createSession({ tools: [tool], journal });
    const running = session.call(call("1", "send"));
    await until(() => isIntended);
    session.cancel();
    gate.resolve();
    expect((await running).failure?.code).toBe("cancelled");
    expect(hasActed).toBe(false);
  });

  test("a question after it waits in the process; before it the call parks", async () => {
    const approver = scriptedApprover("once", () => "later");
    const asking = (first: "ask" | "act") =>
      stubTool(
        first,
        async (_args, ctx) => {
          if (first === "act") await ctx.acting();
          return ctx.ask([{ question: "Which?" }]);
        },
        { idempotent: false, announces: true },
      ).tool;
    const session = await createSession({ tools: [asking("ask"), asking("act")], approver });
    expect((await session.run([call("1", "ask")], { id: "a" })).status).toBe("waiting");
    const running = session.run([call("1", "act")], { id: "b" });
    await until(async () => (await session.waiting()).length === 2);
    await session.answer("b/1/question/1", [["this one"]]);
    expect((await running).results[0]?.data).toEqual([["this one"]]);
  });

  test("a tool that announces is not idempotent, and cannot say that it is", () => {
    const spec = {
      name: "look",
      description: "Looks.",
      inputSchema: { type: "object" },
      requires: {},
      mode: "read",
      announces: true,
      execute: () => undefined,
    } as const;
    expect(defineTool(spec).idempotent).toBe(false);
    expect(() => defineTool({ ...spec, idempotent: true })).toThrow("Leave out one of the two.");
    expect(() => defineTool({ ...spec, recover: true as never })).toThrow("`recover` must be a function.");
  });
});

/** A journal that counts its commits: flushes with something to write. */
function counting() {
  const inner = memoryJournal();
  let made = 0;
  let isOpen = false;
  const journal: Journal = {
    append: (seq, at, turn, entry) => {
      isOpen = true;
      inner.append(seq, at, turn, entry);
    },
    flush: () => {
      if (isOpen) made += 1;
      isOpen = false;
      return inner.flush();
    },
    read: (query) => inner.read(query),
    extent: () => inner.extent(),
  };
  return { journal, count: () => made };
}
