import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolResult } from "../contract/call/result.ts";
import { aiSdk } from "./ai-sdk.ts";
import { anthropic } from "./anthropic.ts";
import { mcp } from "./mcp.ts";
import { modelText } from "./model-text.ts";
import { openai, openaiResponses } from "./openai.ts";
import {
  callStatus,
  contentMessage,
  envelope,
  isTerminalResult,
  resultDict,
  successResult,
} from "./projections.ts";
import { toTraceSpan } from "./trace-span.ts";

const GOOD: ToolResult = {
  callId: "c1",
  toolName: "weather",
  origin: { layer: "code", source: "code" },
  ok: true,
  data: { celsius: 14 },
  labels: ["untrusted"],
  attempts: 1,
  startedAt: 1_000,
  durationMs: 12,
};
const BAD: ToolResult = {
  callId: "c2",
  toolName: "weather",
  ok: false,
  failure: { code: "denied", message: "No.", hint: "Ask again." },
  needsFollowup: true,
  labels: [],
  attempts: 0,
  startedAt: 0,
  durationMs: 0,
};
const CUT: ToolResult = {
  ...GOOD,
  data: { head: "first" },
  truncation: { by: "runtime", unit: "bytes", kept: 5, lost: 95, path: "/tmp/c1", readBy: ["read"] },
};

test("[C38] the envelope: output or error, with how long it took, whether it was cut and where the rest is", () => {
  expect(envelope.result(GOOD)).toMatchObject({
    type: "output",
    data: { celsius: 14 },
    metadata: { duration_ms: 12 },
  });
  expect(envelope.result(BAD)).toMatchObject({
    type: "error",
    error_text: "No. Ask again.",
    metadata: { duration_ms: 0 },
  });
  expect("data" in envelope.result(BAD)).toBe(false);
  expect(envelope.result(CUT)).toMatchObject({
    data: { head: "first" },
    metadata: { truncated: true, output_path: "/tmp/c1" },
  });
});

test("[C37] success, and what should happen next; open for more", () => {
  expect(
    successResult.result({ ...GOOD, terminal: true, nextAction: "stop", message: "Done." }),
  ).toMatchObject({
    success: true,
    terminal: true,
    nextAction: "stop",
    message: "Done.",
    data: { celsius: 14 },
  });
  expect(successResult.result(BAD)).toMatchObject({ success: false, needsFollowup: true, error: "No." });
});

test("[C39] content blocks, with details and the child's id, which the model never sees", () => {
  const rich: ToolResult = {
    ...GOOD,
    content: [
      { type: "text", text: "see" },
      { type: "image", data: "AA==", mimeType: "image/png", alt: "a map" },
    ],
    details: { secret: "inner" },
    childId: "k1",
  };
  expect(contentMessage.result(rich)).toMatchObject({
    content: rich.content,
    details: { secret: "inner" },
    child_loop_id: "k1",
  });
  const shown = [
    openai.result(rich),
    openaiResponses.result(rich),
    anthropic.result(rich),
    aiSdk.result(rich),
    mcp.result(rich),
  ];
  expect(JSON.stringify(shown)).not.toContain("inner");
  expect(modelText(rich)).toBe("see\n[image: a map]");
});

test("[C40] the message a model gets is tied to its call: id, name, whether it failed, when", () => {
  expect(contentMessage.result(BAD)).toMatchObject({
    tool_call_id: "c2",
    tool_name: "weather",
    is_error: true,
    timestamp: 0,
  });
  expect(contentMessage.result(GOOD)).toMatchObject({ is_error: false, timestamp: 1_012 });
});

test("[C41] a result ends the run if it says so, or failed without asking for a follow-up", () => {
  for (const success of [true, false]) {
    for (const terminal of [true, false, undefined]) {
      for (const needsFollowup of [true, false, undefined]) {
        const result = {
          success,
          ...(terminal === undefined ? {} : { terminal }),
          ...(needsFollowup === undefined ? {} : { needsFollowup }),
        };
        expect(isTerminalResult(result)).toBe(terminal === true || (!success && needsFollowup !== true));
      }
    }
  }
});

test("[C107] a failure flips the status that is shown to error", () => {
  expect(callStatus(successResult.result(GOOD))).toBe("done");
  expect(callStatus(successResult.result(BAD))).toBe("error");
});

test("[C36] metadata of a call travels in the attributes of its span", () => {
  expect(toTraceSpan(GOOD, { parentId: "p", attrs: { tenant: "t" } })).toEqual({
    spanId: "c1",
    name: "execute_tool weather",
    startAt: 1_000,
    endAt: 1_012,
    parentId: "p",
    attrs: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "weather",
      "gen_ai.tool.call.id": "c1",
      "toolkeep.origin": "code/code",
      tenant: "t",
    },
  });
});

test("every provider's shape carries the call's id, the text, and that it failed", () => {
  expect(openai.result(BAD)).toEqual({ role: "tool", tool_call_id: "c2", content: "Error: No. Ask again." });
  expect(openaiResponses.result(GOOD)).toEqual({
    type: "function_call_output",
    call_id: "c1",
    output: '{"celsius":14}',
  });
  expect(anthropic.result(BAD)).toMatchObject({ type: "tool_result", tool_use_id: "c2", is_error: true });
  expect(aiSdk.result(BAD)).toMatchObject({
    toolCallId: "c2",
    output: { type: "error-text", value: "No. Ask again." },
  });
  expect(mcp.result(GOOD)).toMatchObject({ isError: false, structuredContent: { celsius: 14 } });
});

test("whatever was cut is counted and attributed in what the model reads", () => {
  expect(modelText(CUT)).toBe(
    '{"head":"first"}\n[Cut by the runtime: 5 bytes shown, 95 left out. The whole output is at /tmp/c1: use `read` with that path.]',
  );
  expect(modelText({ ...CUT, truncation: { by: "tool", unit: "entries", kept: 2, lost: 3 } })).toContain(
    "[Cut by the tool itself: 2 entries shown, 3 left out. The rest was not kept. Ask for less at a time.]",
  );
});

describe("nothing is lost in any of the four shapes", () => {
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const results = fc
    .record({
      callId: fc.string(),
      toolName: fc.string(),
      origin: optional(fc.constant({ layer: "code", source: "code" } as const)),
      ok: fc.boolean(),
      data: optional(fc.jsonValue()),
      content: optional(fc.constant([{ type: "text", text: "x" }] as const)),
      details: optional(fc.jsonValue()),
      childId: optional(fc.string()),
      terminal: optional(fc.boolean()),
      needsFollowup: optional(fc.boolean()),
      nextAction: optional(fc.string()),
      message: optional(fc.string()),
      labels: fc.constantFrom([], ["untrusted"] as const),
      truncation: optional(
        fc.constant({ by: "runtime", unit: "bytes", kept: 1, lost: 2, path: "p" } as const),
      ),
      attempts: fc.nat(3),
      startedAt: fc.nat(),
      durationMs: fc.nat(),
    })
    .map((fields): ToolResult => {
      const failed = fields.ok ? {} : { failure: { code: "x", message: "m", hint: "h" } };
      const present = Object.entries({ ...fields, ...failed }).filter(([, value]) => value !== undefined);
      return Object.fromEntries(present) as unknown as ToolResult;
    });

  test.each([
    ["envelope", (result: ToolResult) => envelope.parse(envelope.result(result))],
    ["tool result", (result: ToolResult) => successResult.parse(successResult.result(result))],
    ["content", (result: ToolResult) => contentMessage.parse(contentMessage.result(result))],
    ["dictionary", (result: ToolResult) => resultDict.parse(resultDict.result(result))],
  ])("%s", (_name, thereAndBack) => {
    fc.assert(
      fc.property(results, (result) => {
        expect(thereAndBack(result)).toEqual(result);
      }),
    );
  });
});
