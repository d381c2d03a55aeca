import { describe, expect, test } from "vitest";
import { call, once, sleep, until } from "../../../../tests/scenario.ts";
import { createRegistry } from "../registry/registry.ts";
import { createSession } from "../session/create-session.ts";
import { collectEvents } from "../testing/collect-events.ts";
import { stubTool } from "../testing/stub-tool.ts";

describe("time", () => {
  test("[C97] a tool that ignores its signal is cut off, and what it returns late is recorded and dropped", async () => {
    let hasReturned = false;
    const late = Promise.withResolvers<void>();
    const { tool } = stubTool("deaf", () => late.promise.then(() => (hasReturned = true)), { timeoutMs: 40 });
    const session = await createSession({ tools: [tool] });
    const { events, outcome } = await collectEvents(session, async () => {
      const result = await session.call(call("deaf"));
      expect(hasReturned).toBe(false);
      late.resolve();
      await until(() => hasReturned);
      return result;
    });
    expect(outcome.failure).toEqual({
      code: "timed_out",
      message: "deaf was stopped after 40 ms.",
      hint: "Ask for less at a time.",
    });
    expect(events.map(({ type }) => type)).toEqual(["call-start", "call-end", "call-late", "session-close"]);
  });

  test("[C8] configuration and the caller may set another time limit, the caller's for one call", async () => {
    const { tool } = stubTool("slow", () => sleep(5_000), { timeoutMs: 60_000 });
    const configured = createRegistry({ config: { slow: { timeoutMs: 40 } } });
    configured.register(tool);
    const session = await createSession({ registry: configured });
    expect((await session.call(call("slow"))).failure?.message).toBe("slow was stopped after 40 ms.");
    const shorter = await session.call(call("slow", {}, "c2"), { timeoutMs: 20 });
    expect(shorter.failure?.message).toBe("slow was stopped after 20 ms.");
  });

  test("[C99] a tool that is told to stop may still hand over what it has", async () => {
    const { tool } = stubTool(
      "polite",
      (_args, { abortSignal }) =>
        new Promise((resolve) => abortSignal.addEventListener("abort", () => resolve({ sofar: 3 }))),
      { timeoutMs: 30 },
    );
    const { outcome } = await once({ tools: [tool] }, call("polite"));
    expect(outcome).toMatchObject({ ok: false, failure: { code: "timed_out" }, data: { sofar: 3 } });
  });

  test("progress keeps a call alive, up to the total cap", async () => {
    const { tool } = stubTool(
      "busy",
      async (_args, ctx) => {
        for (let index = 0; index < 12; index += 1) {
          await sleep(25);
          ctx.progress(`${index}`);
        }
        return "done";
      },
      { timeoutMs: 120 },
    );
    const session = await createSession({ tools: [tool] });
    expect((await session.call(call("busy"))).data).toBe("done");
    const capped = await createSession({ tools: [tool], limits: { totalTimeoutMs: 150 } });
    expect((await capped.call(call("busy"))).failure?.code).toBe("timed_out");
  });

  test("waiting for a person is not the tool's time", async () => {
    const { tool } = stubTool("asker", async (_args, ctx) => (await ctx.ask([{ question: "Which?" }]))[0], {
      timeoutMs: 1_000,
    });
    const approver = {
      approve: async () => ({ verdict: "once" }) as const,
      answer: async () => {
        await sleep(1_200);
        return [["this"]];
      },
    };
    const session = await createSession({ tools: [tool], approver });
    expect((await session.call(call("asker"))).data).toEqual(["this"]);
  });

  test("[C98] cancel reaches running tools and calls that wait, and nothing else", async () => {
    const { tool, executed } = stubTool(
      "long",
      (_args, { abortSignal }) =>
        new Promise((_resolve, reject) =>
          abortSignal.addEventListener("abort", () => reject(new Error("stopped"))),
        ),
    );
    const waiter = stubTool("waiter", () => "x", { requires: { fs: { write: ["/**"] } } }).tool;
    const quick = stubTool("quick").tool;
    const session = await createSession({
      tools: [tool, waiter, quick],
      approver: () => new Promise(() => {}),
    });
    const running = session.call(call("long", {}, "a"));
    const asking = session.call(call("waiter", {}, "b"));
    await until(async () => executed.length === 1 && (await session.waiting()).length === 1);
    session.cancel();
    expect((await running).failure).toEqual({ code: "cancelled", message: "Cancelled" });
    expect((await asking).failure).toEqual({ code: "cancelled", message: "Cancelled" });
    const after = await session.call(call("waiter", {}, "c"), {
      timeoutMs: 1_000,
      signal: AbortSignal.timeout(50),
    });
    expect(after.failure?.code).toBe("cancelled");
    expect((await session.call(call("quick", {}, "d"))).data).toBe("done");
  });

  test("one turn alone is cancelled by its own signal", async () => {
    const { tool } = stubTool("nap", () => sleep(80).then(() => "rested"));
    const session = await createSession({ tools: [tool] });
    const controller = new AbortController();
    const cancelled = session.call(call("nap", {}, "a"), { signal: controller.signal });
    const other = session.call(call("nap", {}, "b"));
    setTimeout(() => controller.abort(), 10);
    expect((await cancelled).failure?.code).toBe("cancelled");
    expect((await other).data).toBe("rested");
  });
});
