import { createRedactor } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import {
  generateText,
  type InferUITools,
  isStepCount,
  jsonSchema,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  tool,
} from "ai";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { govern } from "./govern.ts";
import { type ScriptedCall, scriptedModel } from "./scripted-model.test.kit.ts";

const ALLOWED = { rules: [{ permission: "*", action: "allow" as const }] };
const DECLARED = { requires: { capabilities: ["work"] }, effects: () => [effect("work", "it")] };

async function runOnce<TOOLS extends ToolSet>(
  tools: TOOLS,
  calls: readonly ScriptedCall[],
  more: object = {},
) {
  const declared = Object.fromEntries(Object.keys(tools).map((name) => [name, DECLARED]));
  const governed = await govern<ToolSet>(tools, { policy: ALLOWED, tools: declared, ...more });
  const { model, prompts } = scriptedModel([calls, "done"]);
  const { toolApproval } = governed;
  const messages = [{ role: "user" as const, content: "go" }];
  const result = await generateText({
    model,
    tools: governed.tools,
    toolApproval,
    messages,
    stopWhen: isStepCount(3),
  });
  return { governed, result, shown: prompts[1] ?? "" };
}

const call = (name: string, input: unknown, id = "call_1") => ({ id, name, input });

test("the types of the tools stay the same", async () => {
  const tools = {
    add: tool({ inputSchema: z.object({ a: z.number() }), execute: ({ a }) => ({ sum: a }) }),
    ask: tool({ inputSchema: z.object({ q: z.string() }), outputSchema: z.string() }),
  };
  const governed = await govern(tools, {
    tools: { add: { effects: ({ a }) => [effect("math", a.toFixed())] } },
  });
  expectTypeOf(governed.tools).toEqualTypeOf<typeof tools>();
  expectTypeOf<InferUITools<typeof governed.tools>>().toEqualTypeOf<InferUITools<typeof tools>>();
  const { tools: given, toolApproval } = governed;
  const { model } = scriptedModel([]);
  expect(() => streamText({ model, tools: given, toolApproval, prompt: "x" })).not.toThrow();
  expect(new ToolLoopAgent({ model, tools: given, toolApproval }).tools).toBe(given);
});

test("tools without a declaration ask, and tools that run elsewhere are reported and stay unchanged", async () => {
  const tools = {
    opaque: tool({ inputSchema: z.object({}), execute: () => "ran" }),
    client: tool({ inputSchema: z.object({}), outputSchema: z.string() }),
  };
  const governed = await govern(tools);
  expect(governed.ungoverned.map(({ name }) => name)).toEqual(["client"]);
  expect(governed.tools.client).toBe(tools.client);
  const question = { tools, toolsContext: {}, runtimeContext: {}, messages: [] };
  const toolCall = { toolCallId: "1", toolName: "opaque", input: {} };
  expect(await governed.toolApproval({ ...question, toolCall })).toMatchObject({ type: "user-approval" });
  await expect(govern(tools, { ungoverned: "refuse" })).rejects.toThrow(/client: It has no `execute`/);
});

test("arguments are validated against a plain JSON Schema, which the SDK does not do", async () => {
  const ran: unknown[] = [];
  const strict = tool({
    inputSchema: jsonSchema<{ n: number }>({
      type: "object",
      properties: { n: { type: "number" } },
      required: ["n"],
    }),
    execute: (input) => ran.push(input),
  });
  const { shown } = await runOnce({ strict }, [call("strict", { n: "seven" })]);
  expect(ran).toEqual([]);
  expect(shown).toMatch(/error-text.*\/n/);
});

test("a transformed value reaches the tool unchanged, and the schema is applied once", async () => {
  const seen: unknown[] = [];
  const doubling = tool({
    inputSchema: z.object({
      n: z.string().transform((text) => Number(text) * 2),
      more: z.number().default(5),
    }),
    execute: (input) => {
      seen.push(input);
      return "ok";
    },
  });
  await runOnce({ doubling }, [call("doubling", { n: "21" })]);
  expect(seen).toEqual([{ n: 42, more: 5 }]);
});

test("the model output comes from the tool, without secrets and hidden characters", async () => {
  const redactor = createRedactor();
  redactor.add("password", "hunter2hunter2");
  const leaky = tool({
    inputSchema: z.object({}),
    execute: () => ({ text: "password hunter2hunter2 \u{202E}abc" }),
    toModelOutput: ({ output }) => ({ type: "text", value: `shown: ${output.text}` }),
  });
  const { shown, result } = await runOnce({ leaky }, [call("leaky", {})], { redactor });
  expect(shown).toContain("shown: password");
  expect(shown).toContain("<U+202E>");
  expect(shown).not.toContain("hunter2hunter2");
  expect(JSON.stringify(result.steps)).not.toContain("hunter2hunter2");
});

test("a tool that throws fails with its message, and one that returns nothing returns nothing", async () => {
  const broken = tool({
    inputSchema: z.object({}),
    execute: (): string => {
      throw new Error("the bank is closed");
    },
  });
  expect((await runOnce({ broken }, [call("broken", {})])).shown).toMatch(/error-text.*the bank is closed/);
  const silent = tool({ inputSchema: z.object({}), execute: () => undefined });
  expect((await runOnce({ silent }, [call("silent", {})])).shown).toContain('"value":null');
});

test("partial results are streamed without secrets, and the last one is the result", async () => {
  const redactor = createRedactor();
  redactor.add("password", "hunter2hunter2");
  const slow = tool({
    inputSchema: z.object({}),
    async *execute(): AsyncGenerator<{ at: string }> {
      yield { at: "begin, hunter2hunter2" };
      await new Promise((resolve) => setTimeout(resolve, 120));
      yield { at: "end" };
    },
  });
  const { tools, toolApproval } = await govern(
    { slow },
    { policy: ALLOWED, tools: { slow: DECLARED }, redactor },
  );
  const { model } = scriptedModel([[call("slow", {})], "done"]);
  const result = streamText({ model, tools, toolApproval, prompt: "go", stopWhen: isStepCount(3) });
  const outputs: unknown[] = [];
  for await (const part of result.stream) {
    if (part.type === "tool-result") outputs.push([part.preliminary === true, part.output]);
  }
  expect(outputs.at(-1)).toEqual([false, { at: "end" }]);
  expect(outputs.length).toBeGreaterThan(2);
  expect(JSON.stringify(outputs)).toContain("begin");
  expect(JSON.stringify(outputs)).not.toContain("hunter2hunter2");
});

test("an abort reaches the tool, and the call is settled as cancelled", async () => {
  const controller = new AbortController();
  let wasAborted = false;
  const endless = tool({
    inputSchema: z.object({}),
    execute: (_input, { abortSignal }) =>
      new Promise((_resolve, reject) => {
        abortSignal?.addEventListener("abort", () => {
          wasAborted = true;
          reject(new Error("stopped"));
        });
        controller.abort();
      }),
  });
  const governed = await govern({ endless }, { policy: ALLOWED, tools: { endless: DECLARED } });
  const { tools, toolApproval } = governed;
  const { model } = scriptedModel([[call("endless", {})]]);
  const options = { model, tools, toolApproval, prompt: "go", abortSignal: controller.signal };
  await generateText(options).catch(() => {});
  await governed.close();
  expect(wasAborted).toBe(true);
});

test("the context and the messages of the SDK reach the tool", async () => {
  const seen: unknown[] = [];
  const whoami = tool({
    inputSchema: z.object({}),
    contextSchema: z.object({ user: z.string() }),
    execute: (_input, { context, messages, toolCallId }) => {
      seen.push([context.user, messages.length, toolCallId]);
      return "ok";
    },
  });
  const { tools, toolApproval } = await govern({ whoami }, { policy: ALLOWED, tools: { whoami: DECLARED } });
  const { model } = scriptedModel([[call("whoami", {}, "id with: odd | signs")], "done"]);
  const toolsContext = { whoami: { user: "ada" } };
  await generateText({ model, tools, toolApproval, toolsContext, prompt: "go", stopWhen: isStepCount(2) });
  expect(seen).toEqual([["ada", 1, "id with: odd | signs"]]);
});

test("a declaration for a tool that does not exist, and an unknown field of one, are refused with a suggestion", async () => {
  const tools = { weather: tool({ inputSchema: z.object({}), execute: () => "sunny" }) };
  const declare = (declared: object) => govern<ToolSet>(tools, { tools: declared as never });
  await expect(declare({ wether: DECLARED })).rejects.toThrow(
    'Unknown tool in `tools` "wether". Did you mean "weather"?',
  );
  await expect(declare({ weather: { requries: {} } })).rejects.toThrow(/requries/);
});
