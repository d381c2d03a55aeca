import { memoryStore } from "@toolkeep/core";
import { convertToModelMessages, tool, type UIMessage } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { type GovernOptions, govern } from "./govern.ts";
import { request } from "./governed-chat.test.kit.ts";

const inputSchema = z.object({});
const TOOLS = {
  text: tool({ inputSchema, execute: async (): Promise<string> => "x".repeat(1_000_000) }),
  rows: tool({
    inputSchema,
    execute: async () => ({
      rows: Array.from({ length: 100_000 }, (_, row) => `row ${row}`),
      total: 100_000,
    }),
  }),
  table: tool({
    inputSchema,
    execute: () => Object.fromEntries(Array.from({ length: 50_000 }, (_, row) => [`row ${row}`, row])),
  }),
};
const OPTIONS = {
  policy: ["allow text", "allow rows", "allow table"],
  tools: { text: {}, rows: {}, table: {} },
} satisfies GovernOptions<typeof TOOLS>;
const calls = (name: string) => [{ id: `call_${name}`, name, input: {} }];
const NOTE = "[Cut by the runtime: ";

async function outputOf(name: keyof typeof TOOLS) {
  const store = memoryStore();
  const chat = await govern(TOOLS, { ...OPTIONS, store, sessionId: "chat" });
  const { prompts, steps } = await request(chat, [calls(name), "done"]);
  return { output: steps[0]?.toolResults[0]?.output as unknown, prompt: prompts[1] ?? "", store };
}

test("a large text stays a text, and ends with a note for the model", async () => {
  const { output, prompt } = await outputOf("text");
  expect(output).toMatch(/^x{200000,}\n\[Cut by the runtime: \d+ bytes shown, \d+ left out\./);
  expect(prompt).toContain(NOTE);
});

test("large data keeps its fields, and the model is shown a note next to it", async () => {
  const { output, prompt } = await outputOf("rows");
  const { rows, total } = output as { rows: string[]; total: number };
  expect([rows[0], total]).toEqual(["row 0", 100_000]);
  expect(rows.length).toBeGreaterThan(10_000);
  expect(prompt).toContain(NOTE);
  expect(prompt).toMatch(/\d+ entries of \/rows/);
});

test("the note is there in a later request too, made by another process", async () => {
  const { output, store } = await outputOf("rows");
  const chat = await govern(TOOLS, { ...OPTIONS, store, sessionId: "chat" });
  const part = { type: "tool-rows", toolCallId: "call_rows", state: "output-available", input: {}, output };
  const messages = [{ role: "assistant", parts: [part] }] as unknown as UIMessage[];
  expect(JSON.stringify(await convertToModelMessages(messages, { tools: chat.tools }))).toContain(NOTE);
});

test("data that cannot be cut within its type is an error for the model", async () => {
  const { output, prompt } = await outputOf("table");
  expect(output).toBeUndefined();
  expect(prompt).toMatch(/table ran, and its output of \d+ bytes is larger/);
  expect(prompt).toContain(NOTE);
});
