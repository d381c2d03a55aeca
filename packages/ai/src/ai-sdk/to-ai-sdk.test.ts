import { defineTool, type SessionOptions, toolOutput } from "@toolkeep/core";
import {
  createSessionWithPorts as createSession,
  effect,
  memoryJournal,
  memoryPending,
} from "@toolkeep/core/internal";
import { generateText, type InferToolInput, type InferToolOutput, isStepCount, type ModelMessage } from "ai";
import { expect, expectTypeOf, test } from "vitest";
import { sdkApprover } from "../chat/open-chat.ts";
import { answered, type Reply, scriptedModel } from "./scripted-model.test.kit.ts";
import { type ToAiSdk, toAiSdk } from "./to-ai-sdk.ts";

const sent: string[] = [];

const send = defineTool({
  name: "send",
  description: "Sends a letter.",
  inputSchema: {
    type: "object",
    properties: { to: { type: "string" }, kind: { type: "string", default: "plain" } },
    required: ["to"],
  },
  requires: { capabilities: ["post.send"] },
  effects: ({ to }) => [effect("post.send", to)],
  execute: ({ to, kind }) => {
    sent.push(`${kind} to ${to}`);
    return toolOutput({ data: { to }, content: [{ type: "text", text: `sent to ${to}` }] });
  },
});

const ASKED: ModelMessage[] = [{ role: "user", content: "Write to Ada." }];
const CALL = [{ id: "call_1", name: "send", input: { to: "ada" } }];

async function request(
  sdk: Pick<ToAiSdk, "tools"> & Partial<ToAiSdk>,
  replies: readonly Reply[],
  messages = ASKED,
) {
  const { model, prompts } = scriptedModel(replies);
  const result = await generateText({ model, ...sdk, messages, stopWhen: isStepCount(3) });
  return { messages, responses: result.responseMessages, prompts };
}

test("tools of a session run in the loop of the SDK, and the model sees what the tool shows", async () => {
  sent.length = 0;
  const rules = [{ permission: "post.send", action: "allow" as const }];
  const sdk = toAiSdk(await createSession({ tools: [send], policy: rules, approver: sdkApprover }));
  const { prompts } = await request(sdk, [CALL, "done"]);
  expect(sent).toEqual(["plain to ada"]);
  expect(prompts[1]).toContain("sent to ada");
});

test("a call that asks is asked through the SDK, also if the answer comes after a restart", async () => {
  sent.length = 0;
  const pending = memoryPending();
  const life = { tools: [send], id: "s", journal: memoryJournal(), pending, approver: sdkApprover };
  const first = await request(toAiSdk(await createSession(life), { pending }), [CALL]);
  expect(sent).toEqual([]);
  const next = toAiSdk(await createSession(life), { pending });
  const messages = answered(first.messages, first.responses, true);
  await request(next, ["done"], messages);
  const again = await request(next, ["?"], messages);
  expect(sent).toEqual(["plain to ada"]);
  expect(again.prompts[0]).toContain("already used");
});

test.each([
  ["once", ["plain to ada"]],
  ["reject", []],
] as const)("without toolApproval the approver of the session answers: %s", async (verdict, expected) => {
  sent.length = 0;
  const approver: SessionOptions["approver"] = async () => ({ verdict });
  const { tools } = toAiSdk(await createSession({ tools: [send], approver }));
  const { prompts } = await request({ tools }, [CALL, "done"]);
  expect(sent).toEqual(expected);
  expect(prompts[1]).toContain(verdict === "once" ? "sent to ada" : "Denied");
});

test("the tools have the types of the schemas of the session's tools", async () => {
  const count = defineTool({
    name: "count",
    description: "Counts.",
    inputSchema: { type: "object", properties: { to: { type: "integer" } }, required: ["to"] },
    outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    requires: {},
    mode: "read",
    execute: ({ to }) => ({ n: to }),
  });
  await using session = await createSession({ tools: [count] });
  const { tools } = toAiSdk(session);
  expectTypeOf<InferToolInput<typeof tools.count>>().toEqualTypeOf<{ to: number }>();
  expectTypeOf<InferToolOutput<typeof tools.count>["data"]>().toEqualTypeOf<{ n: number }>();
  const { model } = scriptedModel([[{ id: "call_1", name: "count", input: { to: 3 } }], "done"]);
  const { steps } = await generateText({ model, tools, messages: ASKED, stopWhen: isStepCount(2) });
  expect(steps[0]?.toolResults[0]?.output).toMatchObject({ data: { n: 3 } });
});
