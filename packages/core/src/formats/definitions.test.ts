import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import fc from "fast-check";
import { toStrictJsonSchema } from "openai/lib/transform";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { JsonSchema } from "../contract/call/schema-type.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import type { RegisteredTool, Tool } from "../contract/tool/tool.ts";
import type { Origin } from "../contract/values/origin.ts";
import { createRegistry } from "../registry/registry.ts";
import { expandAllowed, matchesAllowList, visibleTools } from "../registry/tool-names.ts";
import { aiSdk } from "./ai-sdk.ts";
import { anthropic } from "./anthropic.ts";
import { toAnthropicStrict } from "./anthropic-strict.ts";
import { gemini } from "./gemini.ts";
import { toInstructions } from "./instructions.ts";
import { mcp } from "./mcp.ts";
import { openai, openaiResponses } from "./openai.ts";
import { toOpenAiStrict } from "./openai-strict.ts";

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", description: "Where" }, days: { type: "integer" } },
  required: ["city"],
} as const;

function registered(more: Partial<Tool> = {}, origin?: Origin): RegisteredTool {
  const registry = createRegistry();
  const tool = defineTool({
    name: "weather",
    description: "The weather in a city.",
    requires: {},
    execute: () => "sun",
    ...(more as object),
    inputSchema: more.inputSchema ?? SCHEMA,
  }) as Tool;
  registry.register(tool, origin === undefined ? {} : { origin });
  return registry.list()[0] as RegisteredTool;
}

test("[C16] a definition holds no executable half; the name brings the two together", () => {
  const definition = openai.definition(registered());
  expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
  expect(definition.function.name).toBe("weather");
});

test("[C29] OpenAI's function form, with the schema's required list or one of the caller's", () => {
  expect(openai.definition(registered())).toEqual({
    type: "function",
    function: { name: "weather", description: "The weather in a city.", parameters: SCHEMA },
  });
  expect(openai.definition(registered(), { required: ["city", "days"] }).function.parameters).toMatchObject({
    required: ["city", "days"],
  });
});

test("[C30] strict mode closes the schema and says so; tools of MCP servers are left as they are", () => {
  const strict = openai.definition(registered(), { strict: true }).function;
  expect(strict.strict).toBe(true);
  expect(strict.parameters).toEqual({
    type: "object",
    properties: { city: { type: "string", description: "Where" }, days: { type: ["integer", "null"] } },
    required: ["city", "days"],
    additionalProperties: false,
  });
  const remote = registered(
    { remote: { serverId: "s", tool: "weather" } },
    { layer: "user", source: "mcp", id: "s" },
  );
  expect(openai.definition(remote, { strict: true }).function).not.toHaveProperty("strict");
  expect(openai.definition(remote, { strict: true }).function.parameters).toEqual(SCHEMA);
  expect(anthropic.definition(remote, { strict: true })).not.toHaveProperty("strict");
});

test("a schema that strict mode cannot express goes out as it is, not weakened", () => {
  const open = registered({ inputSchema: { type: "object", additionalProperties: { type: "string" } } });
  expect(openaiResponses.definition(open, { strict: true })).toMatchObject({
    strict: false,
    parameters: { additionalProperties: { type: "string" } },
  });
});

test("every other shape: Anthropic, Gemini, AI SDK, MCP", () => {
  expect(anthropic.definition(registered())).toEqual({
    name: "weather",
    description: "The weather in a city.",
    input_schema: SCHEMA,
  });
  expect(anthropic.definition(registered(), { strict: true })).toMatchObject({
    strict: true,
    input_schema: { additionalProperties: false, required: ["city"] },
  });
  expect(gemini.definition(registered())).toMatchObject({ name: "weather", parametersJsonSchema: SCHEMA });
  expect(aiSdk.definition(registered())).toMatchObject({ type: "function", inputSchema: SCHEMA });
  expect(mcp.definition(registered({ mode: "read" }))).toMatchObject({
    name: "weather",
    title: "weather",
    inputSchema: SCHEMA,
    annotations: { readOnlyHint: true, destructiveHint: false },
  });
});

test("[C31] definitions are filtered by the tools that are allowed", () => {
  const registry = createRegistry();
  for (const name of ["read", "write", "mcp_browser_navigate"]) {
    registry.register(
      defineTool({ name, description: "…", inputSchema: { type: "object" }, requires: {}, execute: () => 0 }),
    );
  }
  const names = (allowed?: string[]) => visibleTools(registry.list(), allowed).map(({ name }) => name);
  expect(names()).toEqual(["read", "write", "mcp_browser_navigate"]);
  expect(names(["read", "browser"])).toEqual(["read", "mcp_browser_navigate"]);
  expect(names([])).toEqual([]);
});

test("[C32] models without function calling get the tools in words, asked to plan unless told otherwise", () => {
  const words = toInstructions([registered()], { projectRoot: "/repo" });
  expect(words).toContain("## weather\nThe weather in a city.\n");
  expect(words).toContain('"city":{"type":"string"');
  expect(words).toContain("/repo");
  expect(words).toContain("which steps");
  expect(toInstructions([registered()], { planMode: false })).not.toContain("which steps");
});

test("[C33] an allowed name means itself, names that begin with it, and a server's tools", () => {
  const names = ["git", "git_status", "gitlab_issue", "mcp_browser_navigate", "my_server_run", "read"];
  expect(expandAllowed(["git"], names)).toEqual(["git", "git_status"]);
  expect(expandAllowed(["browser"], names)).toEqual(["mcp_browser_navigate"]);
  expect(expandAllowed(["my server"], names)).toEqual(["my_server_run"]);
  expect(expandAllowed(["git*"], names)).toEqual(["git", "git_status", "gitlab_issue"]);
  expect(expandAllowed(undefined, names)).toEqual(names);
  expect(expandAllowed([""], names)).toEqual([]);
});

test("[C34] one name is held against an allow-list", () => {
  expect(matchesAllowList("read", ["write", "read"])).toBe(true);
  expect(matchesAllowList("reader", ["read"])).toBe(false);
  expect(matchesAllowList("mcp_github_search", ["github"])).toBe(true);
});

/** Schemas as tool authors write them. */
const part: fc.Memo<JsonSchema> = fc.memo((depth) =>
  depth <= 1
    ? fc.oneof(
        fc.constant({ type: "string" }),
        fc.constant({ type: "integer", minimum: 1 }),
        fc.constant({ type: "string", format: "email", minLength: 3, description: "Mail" }),
        fc.constant({ enum: ["a", "b"] }),
        fc.constant({ type: "string", enum: ["x", "y"], description: "Which" }),
        fc.constant({ type: ["string", "null"] }),
        fc.constant({ const: 3 }),
      )
    : fc.oneof(
        part(1),
        fc.record({ type: fc.constant("array"), items: part(depth - 1) }),
        fc.record({ anyOf: fc.array(part(depth - 1), { minLength: 1, maxLength: 3 }) }),
        objectOf(depth),
      ),
);

function objectOf(depth: number): fc.Arbitrary<JsonSchema> {
  return fc
    .dictionary(fc.constantFrom("a", "b", "c", "d"), part(depth - 1), { maxKeys: 4 })
    .chain((properties) =>
      fc.subarray(Object.keys(properties)).map((required) => ({ type: "object", properties, required })),
    );
}

test("what we call strict, OpenAI's own package takes as it is", () => {
  fc.assert(
    fc.property(objectOf(3), (schema) => {
      const made = toOpenAiStrict(schema);
      if ("unfit" in made) throw new Error(made.unfit);
      expect(toStrictJsonSchema(made.schema as never)).toEqual(made.schema);
    }),
    { numRuns: 500 },
  );
});

test("Anthropic's own package makes the same strict schema", () => {
  fc.assert(
    fc.property(objectOf(3), (schema) => {
      expect(toAnthropicStrict(schema)).toEqual(transformJSONSchema(schema as never));
    }),
    { numRuns: 500 },
  );
});

test("a zod schema becomes a definition of its own", () => {
  const tool = registered({
    inputSchema: z.object({ city: z.string(), unit: z.enum(["C", "F"]).optional() }) as never,
  });
  const strict = openai.definition(tool, { strict: true }).function;
  expect(strict.strict).toBe(true);
  expect(toStrictJsonSchema(strict.parameters as never)).toEqual(strict.parameters);
});

describe("the tool calls of a model's answer", () => {
  test("OpenAI's chat completions: functions, not custom tools; none where the model only writes", () => {
    const message = {
      tool_calls: [
        { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        { id: "c2", type: "custom", custom: { name: "sql", input: "select 1" } },
      ],
    };
    expect(openai.toolCalls(message)).toEqual([{ id: "c1", name: "weather", arguments: '{"city":"Oslo"}' }]);
    expect(openai.toolCalls({})).toEqual([]);
    expect(openai.toolCalls({ tool_calls: null })).toEqual([]);
  });

  test("OpenAI's responses, Anthropic's messages and the AI SDK's steps", () => {
    const output = [
      { type: "message" },
      { type: "function_call", call_id: "c1", name: "weather", arguments: "{}" },
    ];
    expect(openaiResponses.toolCalls({ output })).toEqual([{ id: "c1", name: "weather", arguments: "{}" }]);
    const content = [
      { type: "text" },
      { type: "tool_use", id: "c1", name: "weather", input: { city: "Oslo" } },
    ];
    const expected = [{ id: "c1", name: "weather", arguments: { city: "Oslo" } }];
    expect(anthropic.toolCalls({ content })).toEqual(expected);
    const toolCalls = [{ toolCallId: "c1", toolName: "weather", input: { city: "Oslo" } }];
    expect(aiSdk.toolCalls({ toolCalls })).toEqual(expected);
  });

  test("Gemini may leave out the id of a call; one of ours is not sent back", () => {
    const call = { name: "weather", args: { city: "Oslo" } };
    const [first, second] = gemini.toolCalls({
      parts: [{ functionCall: { id: "g1", ...call } }, { functionCall: call }],
    });
    expect(first).toEqual({ id: "g1", name: "weather", arguments: { city: "Oslo" } });
    const result = { toolName: "weather", ok: true, data: "sun", labels: [], attempts: 1 };
    const settled = { ...result, labels: [] as const, startedAt: 0, durationMs: 0 };
    expect(gemini.result({ ...settled, callId: "g1" })).toEqual({
      functionResponse: { id: "g1", name: "weather", response: { output: "sun" } },
    });
    expect(gemini.result({ ...settled, callId: second?.id ?? "" })).toEqual({
      functionResponse: { name: "weather", response: { output: "sun" } },
    });
  });
});

test("a definition is made of a tool as well as of a registered tool", () => {
  expect(openai.definition(registered().tool)).toEqual(openai.definition(registered()));
});
