import {
  Agent,
  type Model,
  type ModelResponse,
  Runner,
  RunState,
  tool,
  Usage,
  webSearchTool,
} from "@openai/agents";
import { createRegistry, createSession, type PolicyDefinition, type Session } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { expect, test } from "vitest";
import { z } from "zod";
import { sdkApprover } from "./chat/open-chat.ts";
import { fromOpenAiAgents, toOpenAiAgents } from "./openai-agents.ts";

const paid: string[] = [];

const pay = tool({
  name: "pay",
  description: "Pays an invoice.",
  parameters: z.object({ invoice: z.string() }),
  needsApproval: async (_context, { invoice }) => invoice.startsWith("BIG"),
  execute: async ({ invoice }) => {
    paid.push(invoice);
    return `paid ${invoice}`;
  },
});

const DECLARED = {
  pay: {
    requires: { capabilities: ["bank.pay"] },
    effects: (args: Readonly<Record<string, unknown>>) => [effect("bank.pay", String(args["invoice"]))],
  },
};

/** A model that makes one call and reports the result. */
class OneCall implements Model {
  readonly #invoice: string;
  readonly #id: () => string;

  constructor(invoice: string, id: () => string) {
    this.#invoice = invoice;
    this.#id = id;
  }

  async getResponse({ input }: Parameters<Model["getResponse"]>[0]): Promise<ModelResponse> {
    const last = typeof input === "string" ? undefined : input.at(-1);
    const isDone = last?.type === "function_call_result";
    return {
      usage: new Usage(),
      output: isDone
        ? [
            {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: JSON.stringify(last.output) }],
            },
          ]
        : [
            {
              type: "function_call",
              callId: this.#id(),
              name: "pay",
              status: "completed",
              arguments: JSON.stringify({ invoice: this.#invoice }),
            },
          ],
    };
  }

  getStreamedResponse(): never {
    throw new Error("This model does not stream.");
  }
}

async function open(rules: PolicyDefinition["rules"] = []): Promise<Session> {
  paid.length = 0;
  const { tools, watchdog } = await fromOpenAiAgents([pay], { tools: DECLARED });
  const registry = createRegistry();
  for (const one of tools) registry.register(one, { origin: { layer: "code", source: "ai-sdk" } });
  return createSession({ registry, policy: { rules, watchdogs: [watchdog] }, approver: sdkApprover });
}

function agentOf(session: Session, invoice: string, id = () => "call_1") {
  const agent = new Agent({
    name: "assistant",
    model: new OneCall(invoice, id),
    tools: toOpenAiAgents(session),
  });
  return { agent, runner: new Runner({ tracingDisabled: true }) };
}

const ALLOWED = [{ permission: "bank.pay", action: "allow" as const }];

test("in their own loop an allowed call runs, and a denied call returns the reason", async () => {
  const session = await open([...ALLOWED, { permission: "bank.pay", pattern: "X-*", action: "deny" }]);
  const good = agentOf(session, "A-1");
  expect((await good.runner.run(good.agent, "pay")).finalOutput).toContain("paid A-1");
  const other = await open([{ permission: "bank.pay", pattern: "X-*", action: "deny" }]);
  const bad = agentOf(other, "X-1");
  expect((await bad.runner.run(bad.agent, "pay")).finalOutput).toContain("bank.pay");
  expect(paid).toEqual([]);
});

test("a call that asks interrupts the run, runs once when approved, and not again from the same state", async () => {
  const session = await open();
  const { agent, runner } = agentOf(session, "A-1");
  const first = await runner.run(agent, "pay");
  expect(first.interruptions).toHaveLength(1);
  expect(paid).toEqual([]);
  const kept = first.state.toString();
  const approve = async () => {
    const state = await RunState.fromString(agent, kept);
    for (const one of state.getInterruptions()) state.approve(one);
    return runner.run(agent, state);
  };
  expect((await approve()).finalOutput).toContain("paid A-1");
  expect(paid).toEqual(["A-1"]);
  expect((await approve()).finalOutput).not.toContain("paid A-1");
  expect(paid).toEqual(["A-1"]);
});

test("needsApproval of a tool asks although a rule allows the call", async () => {
  const session = await open(ALLOWED);
  const { agent, runner } = agentOf(session, "BIG-1");
  expect((await runner.run(agent, "pay")).interruptions).toHaveLength(1);
  expect(paid).toEqual([]);
});

test("hosted tools are reported as ungoverned", async () => {
  const { tools, ungoverned } = await fromOpenAiAgents([pay, webSearchTool()]);
  expect(tools.map(({ name }) => name)).toEqual(["pay"]);
  expect(ungoverned).toEqual([{ name: "web_search", why: expect.stringContaining("hosted_tool") }]);
});

test("alwaysApprove is valid for the call of the request, and for no later call", async () => {
  const session = await open();
  let calls = 0;
  const next = () => {
    calls += 1;
    return `call_${calls}`;
  };
  const { agent, runner } = agentOf(session, "A-1", next);
  const first = await runner.run(agent, "pay");
  const state = await RunState.fromString(agent, first.state.toString());
  for (const one of state.getInterruptions()) state.approve(one, { alwaysApprove: true });
  const done = await runner.run(agent, state);
  expect(paid).toEqual(["A-1"]);
  const again = await runner.run(agent, "pay", { context: done.runContext as never });
  expect(calls).toBe(2);
  expect(paid).toEqual(["A-1"]);
  expect(again.finalOutput).toContain("alwaysApprove has no effect here");
});
