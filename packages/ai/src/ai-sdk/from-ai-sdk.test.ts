import { createSession, type SessionOptions } from "@toolkeep/core";
import { aiSdk } from "@toolkeep/core/formats";
import { jsonSchema, tool, zodSchema } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { fromAiSdk } from "./from-ai-sdk.ts";

const APPROVED: SessionOptions = { approver: async () => ({ verdict: "once" }) };

const tools = {
  zod: tool({ inputSchema: z.object({ n: z.coerce.number() }), execute: ({ n }) => n + 1 }),
  wrapped: tool({ inputSchema: zodSchema(z.object({ n: z.number().max(5) })), execute: ({ n }) => n + 1 }),
  json: tool({
    inputSchema: jsonSchema<{ n: number }>({
      type: "object",
      properties: { n: { type: "number" } },
      required: ["n"],
    }),
    execute: ({ n }) => n + 1,
  }),
  lazy: tool({
    inputSchema: () => zodSchema(z.object({ n: z.number() })),
    title: "Lazy",
    description: () => "said later",
    execute: ({ n }) => n + 1,
  }),
  remote: tool({ inputSchema: z.object({}), outputSchema: z.string() }),
};

async function call(name: string, input: object) {
  const { tools: made } = await fromAiSdk(tools);
  const session = await createSession({ tools: made, ...APPROVED });
  return session.call({ id: "1", name, arguments: JSON.stringify(input) });
}

test.each(["zod", "wrapped", "json", "lazy"])(
  "a tool with a %s schema is validated and runs",
  async (name) => {
    expect((await call(name, { n: 1 })).data).toBe(2);
    const wrong = await call(name, { n: "many" });
    expect(wrong.failure?.code).toBe("invalid_arguments");
  },
);

test("a validator that the SDK wrapped is also called", async () => {
  expect((await call("wrapped", { n: 9 })).failure?.code).toBe("invalid_arguments");
});

test("a tool without a declaration is opaque, and one that runs elsewhere is omitted and listed", async () => {
  const made = await fromAiSdk(tools, { tools: { zod: { requires: {}, mode: "read", label: "Adds" } } });
  const byName = new Map(made.tools.map((one) => [one.name, one]));
  expect(byName.get("zod")).toMatchObject({ requires: {}, mode: "read", label: "Adds", idempotent: false });
  expect(byName.get("lazy")).toMatchObject({ requires: "unknown", label: "Lazy" });
  expect(byName.has("remote")).toBe(false);
  expect(made.ungoverned.map(({ name }) => name)).toEqual(["remote"]);
});

test("the model sees the output of toModelOutput, including images", async () => {
  const painter = tool({
    inputSchema: z.object({}),
    execute: () => ({ png: "aGVsbG8=" }),
    toModelOutput: ({ output }) => ({
      type: "content",
      value: [
        { type: "text", text: "a picture" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: output.png } },
      ],
    }),
  });
  const { tools: made } = await fromAiSdk({ painter });
  const session = await createSession({ tools: made, ...APPROVED });
  const result = await session.call({ id: "1", name: "painter", arguments: {} });
  expect(result.content).toEqual([
    { type: "text", text: "a picture" },
    { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
  ]);
  expect(aiSdk.result(result).output.type).toBe("content");
});

test("partial results reach observers", async () => {
  const steps = tool({
    inputSchema: z.object({}),
    async *execute() {
      yield "one";
      yield "two";
    },
  });
  const { tools: made } = await fromAiSdk({ steps });
  const session = await createSession({ tools: made, ...APPROVED });
  const seen: unknown[] = [];
  const watching = (async () => {
    for await (const event of session.events()) if (event.type === "call-update") seen.push(event.partial);
  })();
  expect((await session.call({ id: "1", name: "steps", arguments: {} })).data).toBe("two");
  await session.close();
  await watching;
  expect(seen).toContain("one");
});
