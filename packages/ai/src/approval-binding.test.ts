import { defineTool, type SessionOptions, ToolFailure } from "@toolkeep/core";
import { createSessionWithPorts as createSession, effect, type SessionPorts } from "@toolkeep/core/internal";
import { memoryJournal, memoryPending } from "@toolkeep/core/journal";
import { type ModelMessage, tool } from "ai";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import type { ClientApproval } from "./call-queue.ts";
import { type GovernOptions, govern } from "./govern.ts";
import { ASKED, journalOf, request, tampered } from "./governed-chat.test.kit.ts";
import { InFlightCalls } from "./in-flight-calls.ts";
import { memoryStore } from "./memory-store.ts";
import { sdkApprover } from "./open-chat.ts";
import { answered } from "./scripted-model.test.kit.ts";
import { toAiSdk } from "./to-ai-sdk.ts";

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

test("an approval for one tool is none for another tool with the same arguments", async () => {
  const verified: string[] = [];
  const verify = ({ toolName }: ClientApproval) => Boolean(verified.push(toolName));
  const chat = await governed({ approvals: { verify } });
  const first = await request(chat, [LOOK]);
  const yes = answered(first.messages, first.responses, true);
  const { prompts } = await request(chat, ["?"], tampered(yes, '"look"', '"wipe"'));
  expect(prompts[0]).toContain("not the tool that a person was asked about");
  expect([ran, verified]).toEqual([[], []]);
  const refusals = (await journalOf(chat)).filter(({ type }) => type === "call-refuse");
  expect(refusals).toHaveLength(1);
  await request(chat, ["done"], yes);
  expect([ran, verified]).toEqual([["look a"], ["look"]]);
});

/** What a process leaves behind that ended when the answer was written down and nothing had begun. */
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

test("a call that was cut off goes on as the tool that was asked for, and as no other", async () => {
  const { after, verified, yes } = await answeredAndGone();
  const other = await request(after, ["?"], tampered(yes, '"look"', '"wipe"'));
  expect(other.prompts[0]).toContain("not the tool");
  const others = await request(after, ["?"], tampered(yes, '"disk":"a"', '"disk":"b"'));
  expect(others.prompts[0]).toContain("not the arguments");
  expect(ran).toEqual([]);
  await request(after, ["done"], yes);
  expect([ran, verified]).toEqual([["look a"], [["look", { disk: "a" }]]]);
});

test("tools of ours: an approval for one tool is none for another one, and verify sees what was asked for", async () => {
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
  expect(prompts[0]).toContain("not the tool");
  expect([ran, verified]).toEqual([[], []]);
  await request(sdk, ["done"], yes);
  expect([ran, verified]).toEqual([["look a"], ["look"]]);
});

test("execute of one tool does not run under the approval that another one was found to have", async () => {
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
