import { describe, expect, test } from "vitest";
import { ALLOW, call, FAST_RETRY, once, sleep } from "../../../../../tests/scenario.ts";
import { fsWrite } from "../../contract/call/effect.ts";
import { ToolFailure } from "../../contract/call/result.ts";
import type { HookContext } from "../../contract/stages/call.ts";
import { createSession } from "../../session/create-session.ts";
import { createMetrics } from "../../session/metrics.ts";
import type { SessionOptions } from "../../session/options.ts";
import { collectEvents } from "../../testing/collect-events.ts";
import { stubTool } from "../../testing/stub-tool.ts";

describe("hooks", () => {
  test("[C100] six observers, with who, what and how it went; per attempt, and harmless when they fail", async () => {
    const seen: Partial<HookContext>[] = [];
    const note = ({ sessionId: _session, duration, ...context }: HookContext) => {
      seen.push({ ...context, ...(duration === undefined ? {} : { duration: 0 }) });
      throw new Error("observer is broken");
    };
    const observer = {
      name: "o",
      onBeforeTool: note,
      onAfterTool: note,
      onToolError: note,
      onPermissionDenied: note,
      onTokenBudgetExceeded: note,
      onToolsDisabled: note,
    };
    let left = 1;
    const { tool } = stubTool("flaky", () => {
      left -= 1;
      if (left >= 0) throw new ToolFailure("busy", "Busy.", { transient: true });
      return "ok";
    });
    const who = { role: "reviewer", workspace: "docs" };
    const base = { callId: "c1", toolName: "flaky", parameters: { a: 1 }, ...who };
    const options = { tools: [tool], observers: [observer], principal: who, limits: FAST_RETRY };
    const run = async (more: SessionOptions) =>
      (await createSession({ ...options, ...more })).call(call("flaky", { a: 1 }));
    await run({});
    expect(seen.splice(0)).toEqual([
      { ...base, hookPoint: "onBeforeTool", attempt: 1 },
      { ...base, hookPoint: "onToolError", attempt: 1, error: "Busy.", duration: 0 },
      { ...base, hookPoint: "onBeforeTool", attempt: 2 },
      { ...base, hookPoint: "onAfterTool", attempt: 2, result: "ok", duration: 0 },
    ]);
    await run({ policy: [{ permission: "flaky", action: "deny" }] });
    expect(seen.splice(0)).toEqual([
      { ...base, hookPoint: "onPermissionDenied", error: "A policy rule denies this: `deny flaky`." },
    ]);
    await run({ budget: { tokens: 0 } });
    expect(seen.splice(0)).toEqual([{ ...base, hookPoint: "onTokenBudgetExceeded" }]);
    await run({ limits: { toolsEnabled: false } });
    expect(seen.splice(0)).toEqual([{ ...base, hookPoint: "onToolsDisabled" }]);
  });

  test("[C87] with tools switched off, the hook is told and the call returns at once", async () => {
    const stub = stubTool("a");
    const { outcome } = await once({ tools: [stub.tool], limits: { toolsEnabled: false } }, call("a"));
    expect(outcome.failure).toEqual({
      code: "tools_disabled",
      message: "Tools are switched off in this session.",
    });
    expect(stub.executed).toEqual([]);
  });

  test("[C101] a gate that says no: no start, no end, and a result that tells the model", async () => {
    const stub = stubTool("a");
    const asked: unknown[] = [];
    const gate = {
      name: "g",
      before: (gated: unknown) => {
        asked.push(gated);
        return false;
      },
    };
    const { outcome, events } = await once({ tools: [stub.tool], gates: [gate] }, call("a", { x: 1 }));
    expect(asked).toEqual([{ toolName: "a", callId: "c1", args: { x: 1 } }]);
    expect(outcome).toMatchObject({ ok: false, failure: { code: "skipped" } });
    expect(events.map(({ type }) => type)).not.toContain("call-start");
    expect(events.map(({ type }) => type)).not.toContain("call-end");
    expect(stub.executed).toEqual([]);
  });

  test("gates run after authorization, in order, and one that fails or hangs skips the call", async () => {
    const log: string[] = [];
    const named = (name: string, verdict: () => boolean | Promise<boolean>) => ({
      name,
      before: () => {
        log.push(name);
        return verdict();
      },
    });
    const denied = await once(
      {
        tools: [stubTool("a").tool],
        policy: [{ permission: "a", action: "deny" }],
        gates: [named("never", () => true)],
      },
      call("a"),
    );
    expect(denied.outcome.failure?.code).toBe("denied");
    expect(log).toEqual([]);
    await once(
      {
        tools: [stubTool("a").tool],
        gates: [named("one", () => true), named("two", async () => false), named("three", () => true)],
      },
      call("a"),
    );
    expect(log).toEqual(["one", "two"]);
    const broken = await once(
      { tools: [stubTool("a").tool], gates: [named("x", () => Promise.reject(new Error("broken")))] },
      call("a"),
    );
    expect(broken.outcome.failure?.message).toBe("The gate x failed: broken");
    const hanging = await once(
      {
        tools: [stubTool("a").tool],
        limits: { gateTimeoutMs: 20 },
        gates: [named("y", () => new Promise(() => {}))],
      },
      call("a"),
    );
    expect(hanging.outcome.failure?.message).toBe("The gate y failed: it took longer than 20 ms");
  });

  test("a gate that changes the arguments starts the call again: schema, scope and approval included", async () => {
    const stub = stubTool("w", () => "x", {
      requires: { fs: { write: ["/repo/**"] } },
      effects: (args) => [fsWrite(String(args["path"]))],
    });
    const to = (path: string) => [{ name: "g", before: () => ({ arguments: { path } }) }];
    const asked: string[] = [];
    const approver = async ({ effects }: { effects: readonly { target: string }[] }) => {
      asked.push(...effects.map(({ target }) => target));
      return { verdict: "once" } as const;
    };
    const request = call("w", { path: "/repo/a" });
    expect((await once({ tools: [stub.tool], gates: to("/repo/b"), approver }, request)).outcome.ok).toBe(
      true,
    );
    expect(asked).toEqual(["/repo/a", "/repo/b"]);
    expect(stub.executed).toEqual([{ path: "/repo/b" }]);
    expect(
      (await once({ tools: [stub.tool], gates: to("/etc/x"), policy: ALLOW }, request)).outcome.failure?.code,
    ).toBe("out_of_scope");
  });

  test("[C102][C103][C104] updates and progress reach listeners in order around their hooks, never the model", async () => {
    const log: string[] = [];
    const gate = {
      name: "g",
      before: () => {
        log.push("before");
        return true;
      },
      beforeUpdate: ({ text }: { text: string }) => {
        log.push(`before ${text}`);
        return text !== '"secret"';
      },
    };
    const observer = {
      name: "o",
      afterUpdate: ({ text }: { text: string }) => void log.push(`after ${text}`),
      afterExecution: ({ isError }: { isError: boolean }) => void log.push(`ended ${isError}`),
    };
    const { tool } = stubTool("a", async (_args, ctx) => {
      ctx.update("secret");
      await sleep(60);
      ctx.update("shown");
      ctx.progress("half way", 0.5);
      return "result";
    });
    const session = await createSession({ tools: [tool], gates: [gate], observers: [observer] });
    const { events, outcome } = await collectEvents(session, () => session.call(call("a")));
    expect(events.map((event) => event.type)).toEqual([
      "call-start",
      "call-update",
      "call-progress",
      "call-end",
      "session-close",
    ]);
    expect(events.find(({ type }) => type === "call-progress")).toMatchObject({
      text: "half way",
      fraction: 0.5,
    });
    expect(log).toEqual(["before", 'before "secret"', 'before "shown"', 'after "shown"', "ended false"]);
    expect(JSON.stringify(outcome)).not.toMatch(/shown|half way/);
  });

  test("updates come at most twenty a second, and the last one always", async () => {
    const { tool } = stubTool("chatty", async (_args, ctx) => {
      for (let index = 0; index <= 300; index += 1) {
        ctx.update(index);
        if (index % 30 === 0) await sleep(10);
      }
      return "x";
    });
    const session = await createSession({ tools: [tool] });
    const started = performance.now();
    const { events } = await collectEvents(session, () => session.call(call("chatty")));
    const updates = events.flatMap((event) => (event.type === "call-update" ? [event.partial] : []));
    expect(updates.length).toBeLessThanOrEqual((performance.now() - started) / 50 + 2);
    expect(updates.at(-1)).toBe(300);
  });

  test("a tool that yields shows each value; the last is its result", async () => {
    const { tool } = stubTool("generator", async function* () {
      yield 1;
      yield 2;
    });
    const { outcome } = await once({ tools: [tool] }, call("generator"));
    expect(outcome.data).toBe(2);
  });

  test("[C93] each tool's calls are counted and timed", async () => {
    const metrics = createMetrics();
    const good = stubTool("good", () => sleep(15));
    const bad = stubTool("bad", () => {
      throw new ToolFailure("x", "x");
    });
    const session = await createSession({ tools: [good.tool, bad.tool], observers: [metrics.observer] });
    await session.call(call("good", {}, "1"));
    await session.call(call("good", {}, "2"));
    await session.call(call("bad", {}, "3"));
    expect(metrics.report()).toMatchObject({
      good: { calls: 2, failures: 0, attempts: 2 },
      bad: { calls: 1, failures: 1 },
    });
    expect(metrics.report()["good"]?.meanMs).toBeGreaterThan(10);
  });
});
