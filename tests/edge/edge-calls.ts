import { govern } from "@toolkeep/ai";
import { createSession, defineTool } from "@toolkeep/core";
import { generateText, isStepCount, jsonSchema, type LanguageModel, tool } from "ai";
import { z } from "zod";

const city = {
  type: "object",
  properties: { city: { type: "string", minLength: 2 } },
  required: ["city"],
} as const;

const described = defineTool({
  name: "described",
  description: "A tool with a JSON Schema.",
  inputSchema: { ...city, properties: { ...city.properties, days: { type: "integer", default: 3 } } },
  outputSchema: { type: "object", properties: { days: { type: "integer" } }, required: ["days"] },
  requires: {},
  mode: "read",
  execute: ({ days }) => ({ days }),
});

const standard = defineTool({
  name: "standard",
  description: "A tool with a Standard Schema.",
  inputSchema: z.object({ city: z.string() }),
  requires: {},
  mode: "read",
  execute: ({ city: name }) => name,
});

/** What calls give on a platform: tools of both kinds, and an AI SDK tool with `jsonSchema()`. */
export async function edgeCalls(): Promise<readonly string[]> {
  const session = await createSession({ tools: [described, standard] });
  const seen: string[] = [];
  for (const name of ["described", "standard"] as const) {
    for (const args of [{ city: "Oslo" }, { cty: 1 }]) {
      const result = await session.call({ id: crypto.randomUUID(), name, arguments: args });
      seen.push(`${name}: ${result.ok ? JSON.stringify(result.data) : result.failure.message}`);
    }
  }
  await session.close();
  return [...seen, ...(await governedCalls())];
}

async function governedCalls(): Promise<readonly string[]> {
  const tools = {
    greet: tool({
      inputSchema: jsonSchema<{ city: string }>({ ...city, required: [...city.required] }),
      execute: ({ city: name }) => `Hello, ${name}`,
    }),
  };
  const governed = await govern(tools, { policy: { mode: "yolo" } });
  const { steps } = await generateText({
    model: oneCall("greet", { city: "Oslo" }),
    tools: governed.tools,
    toolApproval: governed.toolApproval,
    prompt: "go",
    stopWhen: isStepCount(2),
  });
  await governed.close();
  return steps.flatMap(({ content }) =>
    content.flatMap((part) =>
      part.type === "tool-result"
        ? [`greet: ${String(part.output)}`]
        : part.type === "tool-error"
          ? [String(part.error)]
          : [],
    ),
  );
}

/** A model that makes one call and then stops. `ai/test` does not run everywhere. */
function oneCall(toolName: string, input: object): LanguageModel {
  let step = 0;
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  return {
    specificationVersion: "v4",
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async () => {
      step += 1;
      return step === 1
        ? {
            content: [{ type: "tool-call", toolCallId: "call_0", toolName, input: JSON.stringify(input) }],
            finishReason: { unified: "tool-calls", raw: "" },
            usage,
            warnings: [],
          }
        : {
            content: [{ type: "text", text: "done" }],
            finishReason: { unified: "stop", raw: "" },
            usage,
            warnings: [],
          };
    },
  } as unknown as LanguageModel;
}

export const EXPECTED: readonly string[] = [
  'described: {"days":3}',
  'described: Invalid arguments: arguments: the property "city" is missing',
  'standard: "Oslo"',
  "standard: Invalid arguments: /city: Invalid input: expected string, received undefined",
  "greet: Hello, Oslo",
];
