import { describe, expect, test } from "vitest";
import { call, once } from "../../../../../tests/scenario.ts";
import { netFetch } from "../../contract/call/effect.ts";
import { ToolFailure, toolOutput } from "../../contract/call/result.ts";
import { defineTool } from "../../contract/tool/define-tool.ts";
import { createSession } from "../../session/create-session.ts";
import { scriptedApprover } from "../../testing/scripted-approver.ts";
import { stubTool } from "../../testing/stub-tool.ts";

describe("execution", () => {
  test("[C14] the context has the call's id, the tool's name, a signal of its own and the two reporters", async () => {
    const seen: unknown[] = [];
    const { tool } = stubTool("looker", (_args, ctx) => {
      seen.push(
        ctx.toolCallId,
        ctx.toolName,
        ctx.abortSignal.aborted,
        typeof ctx.update,
        typeof ctx.progress,
        ctx.idempotencyKey,
      );
      return "x";
    });
    await once({ tools: [tool], id: "s" }, call("looker"));
    expect(seen).toEqual(["c1", "looker", false, "function", "function", "s/t1/c1"]);
  });

  test("a ToolFailure reaches the model with its message; any other error does not", async () => {
    const failing = stubTool("failing", () => {
      throw new ToolFailure("quota", "The quota is used up.", { hint: "Wait an hour." });
    });
    expect((await once({ tools: [failing.tool] }, call("failing"))).outcome).toMatchObject({
      ok: false,
      needsFollowup: true,
      failure: { code: "quota", message: "The quota is used up.", hint: "Wait an hour." },
    });
    const crashing = stubTool("crashing", () => {
      throw new TypeError("secret internals");
    });
    const { outcome, events } = await once({ tools: [crashing.tool] }, call("crashing"));
    expect(outcome.failure?.code).toBe("tool_crashed");
    expect(JSON.stringify(outcome)).not.toContain("secret internals");
    expect(events.find(({ type }) => type === "tool-crash")).toMatchObject({
      stack: expect.stringContaining("secret internals"),
    });
  });

  test("what a tool returns is taken as JSON, apart from the tool's own objects", async () => {
    const mine = { at: new Date(0), list: [1] };
    const { tool } = stubTool("json", () => mine);
    const { outcome } = await once({ tools: [tool] }, call("json"));
    mine.list.push(2);
    expect(outcome.data).toEqual({ at: "1970-01-01T00:00:00.000Z", list: [1] });
    const cyclic = stubTool("cyclic", () => {
      const loop: Record<string, unknown> = {};
      loop["self"] = loop;
      return loop;
    });
    expect((await once({ tools: [cyclic.tool] }, call("cyclic"))).outcome.failure?.code).toBe("tool_failed");
    expect(
      (await once({ tools: [stubTool("nothing", () => undefined).tool] }, call("nothing"))).outcome,
    ).toMatchObject({ ok: true });
  });

  test("a failure of the tool's own making stays terminal; a result may carry content, details and a child", async () => {
    const bare = stubTool("bare", () => toolOutput({ success: false, error: "Service is down." }));
    const { outcome } = await once({ tools: [bare.tool] }, call("bare"));
    expect(outcome).toMatchObject({
      ok: false,
      failure: { code: "tool_failed", message: "Service is down." },
    });
    expect(outcome.needsFollowup).toBeUndefined();
    const rich = stubTool("rich", () =>
      toolOutput({
        data: { a: 1 },
        content: [{ type: "text", text: "see" }],
        details: { raw: 1 },
        childId: "k",
        nextAction: "n",
        labels: ["private"],
      }),
    );
    expect((await once({ tools: [rich.tool] }, call("rich"))).outcome).toMatchObject({
      data: { a: 1 },
      content: [{ type: "text", text: "see" }],
      details: { raw: 1 },
      childId: "k",
      nextAction: "n",
      labels: ["untrusted", "private"],
    });
  });

  test("secrets are gone from result, journal, prompt and updates", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const { tool } = stubTool(
      "leaky",
      (args, ctx) => {
        ctx.update({ token });
        return { echo: args["token"], token };
      },
      { requires: { net: { hosts: ["*"] } }, effects: () => [netFetch(`${token}.example`)] },
    );
    const approver = scriptedApprover("once");
    const seen: unknown[] = [];
    // The watchdogs would not let the token leave at all.
    const session = await createSession({ tools: [tool], approver, policy: { builtIn: "off" } });
    const watching = (async () => {
      for await (const event of session.events()) seen.push(event);
    })();
    const result = await session.call(call("leaky", { token }));
    await session.close();
    await watching;
    expect(JSON.stringify([result, seen, approver.requests])).not.toContain(token);
    expect(result.data).toEqual({ echo: "[redacted:github-token]", token: "[redacted:github-token]" });
  });

  test("[C24] a tool has a memory of its own, and no other's", async () => {
    const counter = (name: string) =>
      stubTool(name, (_args, ctx) => {
        const next = ((ctx.state.get() as number | undefined) ?? 0) + 1;
        ctx.state.set(next);
        return next;
      });
    const withSlot = (name: string) =>
      defineTool({ ...counter(name).tool, stateSlot: { version: 1 } } as never);
    const session = await createSession({ tools: [withSlot("a"), withSlot("b"), counter("none").tool] });
    expect((await session.call(call("a", {}, "1"))).data).toBe(1);
    expect((await session.call(call("a", {}, "2"))).data).toBe(2);
    expect((await session.call(call("b", {}, "3"))).data).toBe(1);
    expect((await session.call(call("none", {}, "4"))).failure?.message).toBe(
      "This tool declared no state slot.",
    );
  });
});
