import { defineTool, memoryStore, type SessionOptions, ToolFailure } from "@toolkeep/core";
import {
  createSessionWithPorts as createSession,
  effect,
  memoryJournal,
  memoryPending,
  type SessionPorts,
} from "@toolkeep/core/internal";
import { type ModelMessage, tool } from "ai";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { type GovernOptions, govern } from "../ai-sdk/govern.ts";
import { ASKED, journalOf, request, tampered } from "../ai-sdk/governed-chat.test.kit.ts";
import { InFlightCalls } from "../ai-sdk/in-flight-calls.ts";
import { answered } from "../ai-sdk/scripted-model.test.kit.ts";
import { toAiSdk } from "../ai-sdk/to-ai-sdk.ts";
import { sdkApprover } from "../chat/open-chat.ts";
import type { ClientApproval } from "./call-queue.ts";

const ran: string[] = [];
beforeEach(() => {
  ran.length = 0;
});

const inputSchema = z.object({ disk: z.string() });
const TOOLS = {
  look: tool({ description: "Looks.", inputSchema, execute: ({ disk }) => ran.push(`look ${disk}`) }),
  wipe: tool({ description: "Wipes.", inputSchema, execute: ({ disk }) => ran.push(`wipe ${disk}`) }),
};
const DECLARED = {
  look: { requires: { capabilities: ["disk.look"] }, effects: () => [effect("disk.look", "it")] },
  wipe: { requires: { capabilities: ["disk.wipe"] }, effects: () => [effect("disk.wipe", "it")] },
};
const LOOK = [{ id: "call_1", name: "look", input: { disk: "a" } }];

const governed = (more: GovernOptions<typeof TOOLS> = {}) => govern(TOOLS, { tools: DECLARED, ...more });

test("an approval for one tool is invalid for another tool with the same arguments", async () => {
  const verified: string[] = [];
  const verify = ({ toolName }: ClientApproval) => Boolean(verified.push(toolName));
  const chat = await governed({ approvals: { verify } });
  const first = await request(chat, [LOOK]);
  const yes = answered(first.messages, first.responses, true);
  const { prompts } = await request(chat, ["?"], tampered(yes, '"look"', '"wipe"'));
  expect(prompts[0]).toContain("the approval is for another tool");
  expect([ran, verified]).toEqual([[], []]);
  const refusals = (await journalOf(chat)).filter(({ type }) => type === "call-refuse");
  expect(refusals).toHaveLength(1);
  await request(chat, ["done"], yes);
  expect([ran, verified]).toEqual([["look a"], ["look"]]);
});

/** What a process leaves that ended after the answer was recorded and before the call started. */
async function answeredAndGone() {
  const store = memoryStore();
  const before = await governed({ store, sessionId: "chat" });
  const first = await request(before, [LOOK]);
  await before.use(async (session) => {
    const [waiting] = await session.waiting();
    await session.answer(waiting?.id ?? "", { verdict: "once", by: "ada" });
  });
  await before.close();
  const verified: unknown[] = [];
  const verify = ({ toolName, input }: ClientApproval) => Boolean(verified.push([toolName, input]));
  const after = await governed({ store, sessionId: "chat", approvals: { verify } });
  return { after, verified, yes: answered(first.messages, first.responses, true) };
}

test("an interrupted call continues with the tool of the request only", async () => {
  const { after, verified, yes } = await answeredAndGone();
  const other = await request(after, ["?"], tampered(yes, '"look"', '"wipe"'));
  expect(other.prompts[0]).toContain("the approval is for another tool");
  const others = await request(after, ["?"], tampered(yes, '"disk":"a"', '"disk":"b"'));
  expect(others.prompts[0]).toContain("the approval is for other arguments");
  expect(ran).toEqual([]);
  await request(after, ["done"], yes);
  expect([ran, verified]).toEqual([["look a"], [["look", { disk: "a" }]]]);
});

test("with toAiSdk, an approval for one tool is invalid for another, and verify sees the request", async () => {
  const parts = { type: "object", properties: { disk: { type: "string" } }, required: ["disk"] } as const;
  const make = (name: string) =>
    defineTool({
      name,
      description: name,
      inputSchema: parts,
      requires: { capabilities: ["disk.use"] },
      effects: () => [effect("disk.use", name)],
      execute: ({ disk }) => ran.push(`${name} ${disk}`),
    });
  const verified: string[] = [];
  const pending = memoryPending();
  const journal = memoryJournal();
  const life: SessionOptions & SessionPorts = {
    tools: [make("look"), make("wipe")],
    journal,
    pending,
    approver: sdkApprover,
  };
  const verify = ({ toolName }: ClientApproval) => Boolean(verified.push(toolName));
  const sdk = toAiSdk(await createSession(life), { pending, approvals: { verify } });
  const first = await request(sdk, [LOOK]);
  const yes = answered(first.messages, first.responses, true);
  const { prompts } = await request(sdk, ["?"], tampered(yes, '"look"', '"wipe"'));
  expect(prompts[0]).toContain("the approval is for another tool");
  expect([ran, verified]).toEqual([[], []]);
  await request(sdk, ["done"], yes);
  expect([ran, verified]).toEqual([["look a"], ["look"]]);
});

test("execute of one tool does not use the verified approval of another", async () => {
  const chat = await governed();
  const first = await request(chat, [LOOK]);
  const yes = answered(first.messages, first.responses, true);
  const question = { tools: TOOLS, toolsContext: {}, runtimeContext: {}, messages: yes as ModelMessage[] };
  const toolCall = { toolCallId: "call_1", toolName: "look", input: { disk: "a" } };
  expect(await chat.toolApproval({ ...question, toolCall })).toBe("user-approval");
  const options = { toolCallId: "call_1", messages: yes as ModelMessage[], context: undefined as never };
  await expect(chat.tools.wipe.execute?.({ disk: "a" }, options)).rejects.toThrow("was not checked");
  expect(ran).toEqual([]);
});

test("a session that decided about one tool does not run the one that is in flight under the same id", async () => {
  const inFlightCalls = new InFlightCalls();
  const options = { toolCallId: "call_1", messages: ASKED, context: undefined };
  const inFlightCall = { toolName: "wipe", tool: TOOLS.wipe, options };
  const ctx = { toolCallId: "call_1", abortSignal: new AbortController().signal, update: () => {} };
  const run = () => inFlightCalls.execute("look", { disk: "a" }, ctx as never);
  await expect(inFlightCalls.during(inFlightCall, run)).rejects.toThrow(ToolFailure);
  expect(ran).toEqual([]);
});
