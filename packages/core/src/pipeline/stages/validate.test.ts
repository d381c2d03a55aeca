import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, once } from "../../../../../tests/scenario.ts";
import type { ToolCall } from "../../contract/stages/call.ts";
import { defineTool } from "../../contract/tool/define-tool.ts";
import { stubTool } from "../../testing/stub-tool.ts";

describe("find and check", () => {
  test("[C42][C43] an unknown tool is a failure the model sees, with names that are near", async () => {
    const { outcome, events } = await once({ tools: [stubTool("weather").tool] }, call("weathers"));
    expect(outcome).toMatchObject({
      ok: false,
      needsFollowup: true,
      failure: { code: "not_found", message: "Tool not found: weathers", hint: "Did you mean weather?" },
    });
    expect(events.map(({ type }) => type)).toEqual(["session-open", "call-refuse", "session-close"]);
  });

  test("[C44] a schema failure is a failure with the validator's message, before anything executes", async () => {
    const stub = stubTool("weather");
    const tool = defineTool({ ...stub.tool, inputSchema: z.object({ city: z.string() }) as never });
    for (const args of ['{"city": 3}', { city: 3 }]) {
      const { outcome } = await once({ tools: [tool] }, call("weather", args));
      expect(outcome.failure?.code).toBe("invalid_arguments");
      expect(outcome.failure?.message).toMatch(/^Invalid arguments: \/city: /);
    }
    expect(stub.executed).toEqual([]);
  });

  test("cut-off arguments are a failure that says where they stop", async () => {
    const { outcome } = await once({ tools: [stubTool("weather").tool] }, call("weather", '{"city": "Os'));
    expect(outcome.failure?.message).toBe(
      "Invalid arguments: not valid JSON at position 9 of 12: the text ends inside a string",
    );
  });

  test("[C5] an output schema is declared and never enforced", async () => {
    const { tool } = stubTool("weather", () => "not a number", { outputSchema: { type: "number" } });
    const { outcome } = await once({ tools: [tool] }, call("weather"));
    expect(outcome).toMatchObject({ ok: true, data: "not a number" });
  });

  test("[C35] a call is id, name and arguments; what else travels with it goes nowhere", async () => {
    const stub = stubTool("weather");
    const smuggled = { ...call("weather", { city: "Oslo" }), role: "admin" } as ToolCall;
    const { events } = await once({ tools: [stub.tool] }, smuggled);
    expect(stub.executed).toEqual([{ city: "Oslo" }]);
    expect(JSON.stringify(events)).not.toContain("admin");
  });
});

test("where a schema makes something that JSON cannot hold, the record and the person see what came in", async () => {
  const tool = defineTool({
    name: "wipe",
    description: "Wipes.",
    inputSchema: z.object({ ids: z.array(z.string()).transform((ids) => new Set(ids)) }),
    requires: { capabilities: ["db.wipe"] },
    effects: ({ ids }) => [...ids].map((id) => ({ capability: "db.wipe", target: id })),
    execute: ({ ids }) => ids.size,
  });
  const shown: unknown[] = [];
  const approver = async (request: { readonly arguments: unknown }) => {
    shown.push(request.arguments);
    return { verdict: "once" } as const;
  };
  const { outcome, events } = await once(
    { tools: [tool as never], approver },
    call("wipe", { ids: ["PROD"] }),
  );
  expect(outcome).toMatchObject({ ok: true, data: 1 });
  expect(shown).toEqual([{ ids: ["PROD"] }]);
  expect(JSON.stringify(events)).toContain('"PROD"');
});

test("no arguments at all are none, also where a schema makes a date of that", async () => {
  const tool = defineTool({
    name: "since",
    description: "Says since when.",
    inputSchema: z.object({ at: z.date().default(new Date(0)) }) as never,
    mode: "read",
    requires: {},
    effects: () => [],
    execute: (args) => (args as { at: Date }).at.getTime(),
  });
  const { outcome } = await once({ tools: [tool as never] }, call("since", ""));
  expect(outcome).toMatchObject({ ok: true, data: 0 });
});
