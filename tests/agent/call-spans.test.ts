import { trace } from "@opentelemetry/api";
import { createSession, defineTool } from "@toolkeep/core";
import { scriptedApprover } from "@toolkeep/core/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openOtlpReceiver, type ReceivedSpan, treeOf } from "./otlp-receiver.ts";

/** In the form of a token that the redactor knows. */
const SECRET = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

describe("spans of calls, as a collector receives them", () => {
  test("each call is a span, with waiting for a person, waiting for locks and the tool below it", async () => {
    await using receiver = await openOtlpReceiver();
    await using session = await createSession({
      id: "spans",
      tools: [write, asks, outer, inner],
      policy: ["allow *", "ask fs.write /asked", "deny fs.write /denied"],
      approver: {
        approve: async () => ({ verdict: "once", by: "ada" }),
        answer: async () => [["yes"]],
      },
    });
    const outcome = await session.run(
      [
        { id: "1", name: "write", arguments: { path: "/asked", text: SECRET } },
        { id: "2", name: "write", arguments: { path: "/asked", text: "second" } },
        { id: "3", name: "write", arguments: { path: "/denied", text: "third" } },
        { id: "4", name: "asks", arguments: {} },
        { id: "5", name: "outer", arguments: {} },
        { id: "6", name: `made_up_${SECRET}`, arguments: {} },
      ],
      { id: "turn" },
    );
    expect(outcome.results.map((result) => result?.ok)).toEqual([true, true, false, true, true, false]);
    const spans = await receiver.spans();
    const trees = new Map(spans.filter(isRoot).map((root) => [callIdOf(root), treeOf(below(root, spans))]));
    expect(Object.fromEntries(trees)).toEqual({
      1: ["execute_tool write", "  wait_for_approval", "  run_tool"],
      2: ["execute_tool write", "  wait_for_approval", "  wait_for_locks", "  run_tool"],
      3: ["execute_tool write (denied)"],
      4: ["execute_tool asks", "  run_tool", "    wait_for_answer"],
      5: ["execute_tool outer", "  run_tool", "    own work", "    execute_tool inner", "      run_tool"],
      6: ["execute_tool (not_found)"],
    });
    expect(spans.find((span) => isRoot(span) && callIdOf(span) === "1")).toMatchObject({
      kind: 1,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "write",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "1",
        "gen_ai.conversation.id": "spans",
        "toolkeep.turn.id": "turn",
      },
    });
    expect(spans.find(({ name }) => name === "wait_for_approval")?.attributes).toEqual({
      "toolkeep.verdict": "once",
    });
    // The second write waited as long as the first one was at work.
    const [first, second] = ["1", "2"].map((id) =>
      spans.find((span) => isRoot(span) && callIdOf(span) === id),
    );
    const running = spans.find(
      ({ name, parentSpanId }) => name === "run_tool" && parentSpanId === first?.spanId,
    );
    const waiting = spans.find(
      ({ name, parentSpanId }) => name === "wait_for_locks" && parentSpanId === second?.spanId,
    );
    expect(BigInt(waiting?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(
      BigInt(running?.startTimeUnixNano ?? 1),
    );
    // Neither arguments nor results, and no secret in a name.
    const sent = await receiver.text();
    for (const text of [SECRET, "second", "written", "/asked", "Which one?"])
      expect(sent).not.toContain(text);
  });

  test("a call that parks ends its span; the resumed turn has one of its own, found by the same ids", async () => {
    await using receiver = await openOtlpReceiver();
    await using session = await createSession({
      id: "parked",
      tools: [write],
      policy: ["ask fs.write **"],
      approver: scriptedApprover("later"),
    });
    const calls = [{ id: "1", name: "write", arguments: { path: "/a", text: "" } }];
    expect((await session.run(calls, { id: "turn" })).status).toBe("waiting");
    await session.answer("turn/1", { verdict: "once" });
    expect((await session.resume("turn")).status).toBe("done");
    const spans = await receiver.spans();
    expect(treeOf(spans)).toEqual([
      "execute_tool write",
      "  wait_for_approval",
      "execute_tool write",
      "  wait_for_approval",
      "  run_tool",
    ]);
    const roots = spans.filter(isRoot);
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(2);
    expect(roots.map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({ "gen_ai.conversation.id": "parked", "toolkeep.is_parked": true }),
      expect.objectContaining({ "gen_ai.conversation.id": "parked", "toolkeep.is_resumed": true }),
    ]);
  });

  test("without a registered provider there are no spans, and a session of before stays without", async () => {
    await using session = await createSession({ tools: [inner], policy: ["allow *"] });
    await using receiver = await openOtlpReceiver();
    expect((await session.call("inner", {})).ok).toBe(true);
    expect(await receiver.spans()).toEqual([]);
  });

  test("a span processor that throws changes nothing about a call", async () => {
    const broken = () => {
      throw new Error("broken tracer");
    };
    trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan: broken, startActiveSpan: broken }) });
    try {
      await using session = await createSession({ tools: [outer, inner], policy: ["allow *"] });
      expect(await session.call("inner", {})).toMatchObject({ ok: true, data: "inside" });
    } finally {
      trace.disable();
    }
  });
});

const EMPTY = z.object({});

const write = defineTool({
  name: "write",
  description: "Writes.",
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  requires: { fs: { write: ["/**"] } },
  effects: ({ path }) => [{ capability: "fs.write", target: path }],
  async execute() {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return "written";
  },
});

const asks = defineTool({
  name: "asks",
  description: "Asks.",
  inputSchema: EMPTY,
  requires: {},
  execute: async (_args, ctx) => (await ctx.ask([{ question: "Which one?" }])).flat().join(),
});

const inner = defineTool({
  name: "inner",
  description: "Does a part.",
  inputSchema: EMPTY,
  requires: {},
  execute: async () => "inside",
});

const outer = defineTool({
  name: "outer",
  description: "Has a part done.",
  inputSchema: EMPTY,
  requires: {},
  async execute(_args, ctx) {
    trace.getTracer("the tool's own").startSpan("own work").end();
    return (await ctx.call("inner", {})).data;
  },
});

function isRoot({ parentSpanId }: ReceivedSpan): boolean {
  return parentSpanId === "";
}

function callIdOf({ attributes }: ReceivedSpan): unknown {
  return attributes["gen_ai.tool.call.id"];
}

/** The spans of one trace: each call that the session was given is the root of one. */
function below({ traceId }: ReceivedSpan, spans: readonly ReceivedSpan[]): readonly ReceivedSpan[] {
  return spans.filter((span) => span.traceId === traceId);
}
