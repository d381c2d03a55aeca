import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { DynamicTool, type StructuredToolInterface, tool } from "@langchain/core/tools";
import { createRegistry, createSession, type Session, type SessionOptions } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { expect, test } from "vitest";
import { z } from "zod";
import { fromLangChain, toLangChain } from "./langchain.ts";

const paid: string[] = [];

const pay = tool(
  ({ invoice }: { invoice: string }) => {
    paid.push(invoice);
    return `paid ${invoice}`;
  },
  { name: "pay", description: "Pays an invoice.", schema: z.object({ invoice: z.string().trim() }) },
);

const DECLARED = {
  pay: {
    requires: { capabilities: ["bank.pay"] },
    effects: (args: Readonly<Record<string, unknown>>) => [effect("bank.pay", String(args["invoice"]))],
  },
};

async function open(options: SessionOptions): Promise<Session> {
  paid.length = 0;
  const registry = createRegistry();
  for (const one of await fromLangChain([pay], { tools: DECLARED })) {
    expect(registry.register(one, { origin: { layer: "code", source: "ai-sdk" } })).toBeUndefined();
  }
  return createSession({ registry, ...options });
}

/** A model that makes one call and stops when it sees the result. */
class OneCall extends BaseChatModel {
  readonly #invoice: string;

  constructor(invoice: string) {
    super({});
    this.#invoice = invoice;
  }

  _llmType(): string {
    return "scripted";
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const call = { id: "call_1", name: "pay", args: { invoice: this.#invoice }, type: "tool_call" as const };
    const isDone = messages.at(-1) instanceof ToolMessage;
    const message = isDone ? new AIMessage("done") : new AIMessage({ content: "", tool_calls: [call] });
    return { generations: [{ text: "", message }] };
  }
}

/** The loop of LangChain: the calls of the model go to the tools until it makes none. */
async function loop(session: Session, invoice: string): Promise<readonly BaseMessage[]> {
  const tools = new Map(toLangChain(session).map((one) => [one.name, one]));
  const model = new OneCall(invoice);
  const messages: BaseMessage[] = [new HumanMessage("pay")];
  for (;;) {
    const reply = (await model.invoke(messages)) as AIMessage;
    messages.push(reply);
    if (reply.tool_calls === undefined || reply.tool_calls.length === 0) return messages;
    for (const call of reply.tool_calls) {
      messages.push((await tools.get(call.name)?.invoke({ ...call, type: "tool_call" })) as ToolMessage);
    }
  }
}

test("in a LangChain loop an allowed call runs, and its message belongs to the call", async () => {
  const session = await open({ policy: [{ permission: "bank.pay", action: "allow" }] });
  const answer = (await loop(session, "A-1")).find((message) => message instanceof ToolMessage);
  expect(answer?.content).toBe("paid A-1");
  expect(answer?.tool_call_id).toBe("call_1");
  expect(paid).toEqual(["A-1"]);
});

test("a call that asks goes to the approver of the session, and a denial is a message", async () => {
  const asked: string[] = [];
  const session = await open({
    policy: [{ permission: "bank.pay", pattern: "X-*", action: "deny" }],
    approver: async ({ effects }) => {
      asked.push(...effects.map(({ target }) => target));
      return { verdict: "once" };
    },
  });
  await loop(session, "A-1");
  const answer = (await loop(session, "X-1")).find((message) => message instanceof ToolMessage);
  expect(answer?.content).toContain("bank.pay");
  expect(asked).toEqual(["A-1"]);
  expect(paid).toEqual(["A-1"]);
});

test("invalid arguments are refused before the tool sees them", async () => {
  const session = await open({ policy: [{ permission: "bank.pay", action: "allow" }] });
  const result = await session.call({ id: "1", name: "pay", arguments: { invoice: 7 } });
  expect(result.failure?.code).toBe("invalid_arguments");
  expect(paid).toEqual([]);
});

test("a tool that takes one string, without a declaration, is converted and asks", async () => {
  const shout = new DynamicTool({
    name: "shout",
    description: "Shouts.",
    func: async (words) => words.toUpperCase(),
  });
  const [made] = await fromLangChain([shout as unknown as StructuredToolInterface]);
  const session = await createSession({
    tools: made === undefined ? [] : [made],
    approver: async ({ effects }) => ({ verdict: effects[0]?.capability === "unknown" ? "once" : "reject" }),
  });
  const result = await session.call({ id: "1", name: "shout", arguments: { input: "hello" } });
  expect(result.data).toBe("HELLO");
});

test("a rule matches what the tool's own schema makes of the arguments", async () => {
  const rules = [
    { permission: "bank.pay", action: "allow" as const },
    { permission: "bank.pay", pattern: "X-1", action: "deny" as const },
  ];
  const session = await open({ policy: rules });
  const call = (id: string, invoice: string) => ({ id, name: "pay", arguments: { invoice } });
  expect((await session.call(call("1", " X-1 "))).failure).toMatchObject({ code: "denied" });
  expect(paid).toEqual([]);
  expect((await session.call(call("2", " A-1 "))).ok).toBe(true);
  expect(paid).toEqual(["A-1"]);
});
