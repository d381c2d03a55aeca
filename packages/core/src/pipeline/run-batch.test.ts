import { describe, expect, test } from "vitest";
import { ToolFailure } from "../contract/call/result.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import { createSession } from "../session/create-session.ts";
import { createBudgets } from "../session/token-budget.ts";
import { runTwice } from "../testing/run-twice.test.kit.ts";
import { stubTool } from "../testing/stub-tool.ts";
import type { Strategy } from "./run-batch.ts";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const call = (id: string, name: string, args: ToolCall["arguments"] = {}): ToolCall => ({
  id,
  name,
  arguments: args,
});

describe("strategies", () => {
  function overlapping() {
    const seen = { now: 0, most: 0 };
    const { tool } = stubTool("work", async (args) => {
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      await sleep(10);
      seen.now -= 1;
      return args["n"];
    });
    return { tool, seen };
  }

  test.each([
    ["sequential", 1],
    ["parallel", 6],
    [{ batched: 2 }, 2],
  ] as [Strategy, number][])("[C94] %j runs so many at a time: %i", async (strategy, most) => {
    const { tool, seen } = overlapping();
    const calls = Array.from({ length: 6 }, (_, n) => call(`c${n}`, "work", { n }));
    const { outcome, replayed } = await runTwice({ tools: [tool], strategy }, (session) =>
      session.run(calls),
    );
    expect(seen.most).toBe(most);
    expect(outcome).toMatchObject({ status: "done", results: calls.map((_, n) => ({ data: n })) });
    expect(replayed).toEqual(outcome);
  });

  test("[C94] parallel is what a session does unless it is told otherwise", async () => {
    const { tool, seen } = overlapping();
    const session = await createSession({ tools: [tool] });
    await session.run([call("a", "work"), call("b", "work")]);
    expect(seen.most).toBe(2);
  });

  test("[C96] one result for each call, in the order of the calls, however they end", async () => {
    const slow = stubTool("slow", () => sleep(30).then(() => "slow"));
    const fast = stubTool("fast", () => "fast");
    const bad = stubTool("bad", () => {
      throw new ToolFailure("x", "bad");
    });
    const calls = [
      call("1", "slow"),
      call("2", "missing"),
      call("3", "bad"),
      call("4", "fast"),
      call("5", "fast", "{"),
    ];
    const { outcome } = await runTwice({ tools: [slow.tool, fast.tool, bad.tool] }, (session) =>
      session.run(calls),
    );
    expect(outcome.results.map((result) => result?.data ?? result?.failure?.code)).toEqual([
      "slow",
      "not_found",
      "x",
      "fast",
      "invalid_arguments",
    ]);
    expect(outcome.results.map((result) => result?.callId)).toEqual(["1", "2", "3", "4", "5"]);
  });

  test("the same id twice gives the same result if it is the same call, and a failure if not", async () => {
    const stub = stubTool("a", (args) => args["n"]);
    const calls = [call("x", "a", { n: 1 }), call("x", "a", { n: 1 }), call("x", "a", { n: 2 })];
    const { outcome } = await runTwice({ tools: [stub.tool] }, (session) => session.run(calls));
    expect(outcome.results.map((result) => result?.data ?? result?.failure?.code)).toEqual([
      1,
      1,
      "duplicate_call",
    ]);
    expect(stub.executed).toHaveLength(1);
  });

  test.each([
    ["sequential", ["done", "skipped", "skipped", "skipped"]],
    [{ batched: 2 }, ["done", "done", "skipped", "skipped"]],
    ["parallel", ["done", "done", "done", "done"]],
  ] as [Strategy, string[]][])(
    "[C95] what the person says is looked at between calls, batches, or after all: %j",
    async (strategy, expected) => {
      const session: { steer?: (text: string) => void } = {};
      const { tool } = stubTool("work", (args) => {
        if (args["n"] === 0) session.steer?.("Stop, do something else.");
        return "done";
      });
      const calls = Array.from({ length: 4 }, (_, n) => call(`c${n}`, "work", { n }));
      const { outcome, replayed } = await runTwice({ tools: [tool], strategy }, (opened) => {
        session.steer = (text) => opened.steer(text);
        return opened.run(calls);
      });
      expect(outcome.results.map((result) => (result?.ok ? result.data : result?.failure?.code))).toEqual(
        expected,
      );
      expect(outcome.status === "done" && outcome.messages).toEqual([{ text: "Stop, do something else." }]);
      expect(
        outcome.results.find((result) => !result?.ok)?.failure?.message ??
          "Skipped due to queued user message.",
      ).toBe("Skipped due to queued user message.");
      expect(replayed.results).toEqual(outcome.results);
    },
  );

  test("[C90] a budget is charged for arguments alone, turn by turn, and can be reset", async () => {
    const { tool } = stubTool("a", () => "x".repeat(1_000));
    const words = "some words that cost a few tokens ".repeat(100);
    const session = await createSession({ tools: [tool], budget: {} });
    const many = (count: number) => Array.from({ length: count }, (_, n) => call(`c${n}`, "a", { words }));
    const first = await session.run(many(20));
    const codes = first.results.map((result) => result?.failure?.code ?? "ok");
    expect(codes.slice(0, 5)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
    expect(codes.at(-1)).toBe("budget_exceeded");
    expect((await session.run(many(1))).results[0]?.ok).toBe(true);
    const newBudget = await createBudgets({ calls: 1 });
    const [shared, other] = [newBudget(), newBudget()];
    const spend = async (budget: typeof shared, id: string) =>
      (await session.call(call(id, "a"), { budget })).failure?.code ?? "ok";
    expect([await spend(shared, "1"), await spend(shared, "2"), await spend(other, "3")]).toEqual([
      "ok",
      "budget_exceeded",
      "ok",
    ]);
    shared.reset();
    expect(await spend(shared, "4")).toBe("ok");
    const free = await createSession({ tools: [tool] });
    expect((await free.run(many(20))).results.every((result) => result?.ok)).toBe(true);
  });
});
