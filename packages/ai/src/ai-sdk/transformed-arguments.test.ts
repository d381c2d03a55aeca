import type { Rule } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { jsonSchema, type ToolSet, tool } from "ai";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { fromAiSdk } from "./from-ai-sdk.ts";
import { type GovernOptions, govern } from "./govern.ts";
import { ASKED, journalOf, request } from "./governed-chat.test.kit.ts";
import { answered } from "./scripted-model.test.kit.ts";

const ran: unknown[] = [];
beforeEach(() => {
  ran.length = 0;
});

const ALLOWED: Rule = { permission: "*", action: "allow" };
const call = (input: unknown) => [{ id: "call_1", name: "wipe", input }];

/** One tool whose schema transforms its arguments, and the effects of its calls. */
async function chatWith(
  inputSchema: z.ZodType,
  targets: (input: never) => readonly string[],
  more: GovernOptions = {},
) {
  const wipe = tool({ description: "Wipes.", inputSchema, execute: (input) => void ran.push(input) });
  const effects = (input: unknown) => targets(input as never).map((target) => effect("db.wipe", target));
  return govern({ wipe } as ToolSet, {
    policy: { rules: [ALLOWED, { permission: "db.wipe", pattern: "PROD*", action: "deny" }] },
    tools: { wipe: { requires: { capabilities: ["db.wipe"] }, effects } },
    ...more,
  });
}

const SETS = z.object({ names: z.array(z.string()).transform((names) => new Set(names)) });
const MAPS = z.object({
  names: z.array(z.string()).transform((names) => new Map(names.map((name) => [name, 1]))),
});
const UPPER = z.object({ names: z.array(z.string().transform((name) => name.trim().toUpperCase())) });
const keys = ({ names }: { names: Set<string> }) => [...names.keys()];
const entries = ({ names }: { names: string[] }) => names;

test.each([
  ["a set", SETS, keys, "PROD"],
  ["a map", MAPS, keys, "PROD"],
  ["other texts", UPPER, entries, " prod "],
] as const)("a rule matches the transformed arguments: %s", async (_, schema, targets, name) => {
  const chat = await chatWith(schema, targets);
  const denied = await request(chat, [call({ names: ["test", name] }), "done"]);
  expect(ran).toEqual([]);
  expect(denied.prompts[1]).toContain("db.wipe");
  await request(chat, [[{ id: "call_2", name: "wipe", input: { names: ["test"] } }], "done"]);
  expect(ran).toHaveLength(1);
  expect(targets(ran[0] as never).map((one) => one.toLowerCase())).toEqual(["test"]);
});

test.each([
  ["a date", z.string().transform((at) => new Date(at)), "2026-01-02", new Date("2026-01-02")],
  ["an address", z.string().transform((at) => new URL(at)), "https://a.test/", new URL("https://a.test/")],
  [
    "a large number",
    z.string().transform((digits) => BigInt(digits)),
    "12345678901234567890",
    12345678901234567890n,
  ],
  ["no number", z.string().transform(Number), "seven", Number.NaN],
] as const)(
  "%s reaches effects and tool transformed, and the journal as the model wrote it",
  async (_, inner, given, expected) => {
    const evaluated: unknown[] = [];
    const chat = await chatWith(z.object({ value: inner }), ({ value }: { value: unknown }) => {
      evaluated.push(value);
      return ["it"];
    });
    await request(chat, [call({ value: given }), "done"]);
    expect(ran).toEqual([{ value: expected }]);
    expect(evaluated.at(-1)).toEqual(expected);
    const started = (await journalOf(chat)).filter(({ type }) => type === "call-start");
    expect(JSON.stringify(started)).toContain(given);
  },
);

test("the arguments of a call that asks are transformed again for the call that runs, and shown as written", async () => {
  const chat = await chatWith(SETS, keys, { policy: { rules: [] } });
  const first = await request(chat, [call({ names: ["test"] })]);
  const [waiting] = await chat.use((session) => session.waiting());
  expect(JSON.stringify(waiting)).toContain("test");
  const yes = JSON.parse(JSON.stringify(answered(first.messages, first.responses, true))) as typeof ASKED;
  await request(chat, ["done"], yes);
  expect(ran).toEqual([{ names: new Set(["test"]) }]);
});

test("the effects and the tool get one value, although the schema returns another one each time", async () => {
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };
  const counting = z.object({ name: z.string().transform((name) => new Set([name + next()])) });
  const evaluated: string[] = [];
  const chat = await chatWith(counting, ({ name }: { name: Set<string> }) => {
    evaluated.push(...name);
    return [...name];
  });
  await request(chat, [call({ name: "n" }), "done"]);
  expect(ran).toEqual([{ name: new Set([evaluated.at(-1)]) }]);
});

test("the approval functions of the application get the transformed value", async () => {
  const seen: unknown[] = [];
  const own = ({ toolCall }: { toolCall: { input: unknown } }) => void seen.push(toolCall.input);
  const chat = await chatWith(SETS, keys, { toolApproval: own as never });
  await request(chat, [call({ names: ["test"] }), "done"]);
  expect(seen).toEqual([{ names: new Set(["test"]) }]);
});

test("arguments that cannot be evaluated are refused with a message, before any decision", async () => {
  const chat = await chatWith(SETS, keys);
  const question = { tools: {}, toolsContext: {}, runtimeContext: {}, messages: ASKED };
  for (const [at, input] of [
    { names: new Set() },
    { at: new Date() },
    { n: 1n },
    { n: Number.NaN },
  ].entries()) {
    const toolCall = { toolCallId: `odd_${at}`, toolName: "wipe", input };
    expect(await chat.toolApproval({ ...question, toolCall })).toMatchObject({
      type: "denied",
      reason: expect.stringContaining("not plain data"),
    });
    const options = { toolCallId: `odd_${at}`, messages: ASKED, context: undefined as never };
    await expect(async () => chat.tools["wipe"]?.execute?.(input, options)).rejects.toThrow("not plain data");
  }
  expect(ran).toEqual([]);
});

test("a schema cannot change the action that rules name", async () => {
  const schema = z.object({
    action: z.string().transform((name) => name.trim()),
    on: z.string().transform((at) => new Date(at)),
  });
  const wipe = tool({ inputSchema: schema, execute: (input) => void ran.push(input) });
  const chat = await govern(
    { wipe },
    {
      policy: { rules: [ALLOWED, { permission: "wipe.all", action: "deny" }] },
      tools: { wipe: { requires: {}, effects: () => [], actionArgument: "action" } },
    },
  );
  const { prompts } = await request(chat, [call({ action: " all", on: "2026-01-02" }), "done"]);
  expect(ran).toEqual([]);
  expect(prompts[1]).toContain("policy cannot evaluate");
});

test("defaults that a schema adds are shown", async () => {
  const chat = await chatWith(z.object({ name: z.string().trim(), more: z.number().default(5) }), () => []);
  const { steps } = await request(chat, [call({ name: " a " }), "done"]);
  expect(steps[0]?.toolCalls[0]?.input).toEqual({ name: "a", more: 5 });
  expect(ran).toEqual([{ name: "a", more: 5 }]);
});

test("tools that are converted without the loop of the SDK are also decided by the transformed value", async () => {
  const schema = jsonSchema<{ names: Set<string> }>(
    { type: "object", properties: { names: { type: "array" } } },
    {
      validate: async (value) => ({
        success: true,
        value: { names: new Set((value as { names: string[] }).names) },
      }),
    },
  );
  const wipe = tool({ inputSchema: schema, execute: (input) => void ran.push(input) });
  const evaluated: unknown[] = [];
  const effects = (args: object) => {
    evaluated.push(args);
    return [];
  };
  const { tools } = await fromAiSdk({ wipe }, { tools: { wipe: { requires: {}, effects } } });
  const { createSession } = await import("@toolkeep/core");
  const session = await createSession({ tools, policy: [ALLOWED] });
  await session.call({ id: "1", name: "wipe", arguments: { names: ["a"] } });
  expect(ran).toEqual([{ names: new Set(["a"]) }]);
  expect(evaluated.at(-1)).toBe(ran[0]);
});
