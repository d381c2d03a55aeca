import { memoryStore, type Principal } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { recordedCalls } from "@toolkeep/core/policy";
import { generateText, isStepCount, type ModelMessage, tool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { govern } from "./govern.ts";
import { answered, type Reply, scriptedModel } from "./scripted-model.test.kit.ts";

const paid: string[] = [];
const tools = {
  pay: tool({
    description: "Pays an invoice.",
    inputSchema: z.object({ invoice: z.string() }),
    execute: async ({ invoice }) => {
      paid.push(invoice);
      return { paid: invoice };
    },
  }),
};
const declared = {
  pay: {
    requires: { capabilities: ["bank.pay"] },
    effects: ({ invoice }: { invoice: string }) => [effect("bank.pay", invoice)],
  },
};
const ALICE = { user: "alice", groups: ["finance"] };
const BOB = { user: "bob", groups: ["support"] };
const ASKED: ModelMessage[] = [{ role: "user", content: "Pay." }];
const pay = (invoice: string, id: string): Reply => [{ id, name: "pay", input: { invoice } }];

/** Requests to a server with one chat, each on behalf of the user who sent it. */
function server(rules: readonly string[]) {
  const store = memoryStore();
  const open = (principal: Partial<Principal>) =>
    govern(tools, { store, sessionId: "chat", tools: declared, policy: { rules }, principal });
  return {
    open,
    async request(principal: Partial<Principal>, replies: readonly Reply[], messages = ASKED) {
      const { tools: governed, toolApproval } = await open(principal);
      const { model, prompts } = scriptedModel(replies);
      const options = { model, tools: governed, toolApproval, messages, stopWhen: isStepCount(5) };
      const { responseMessages } = await generateText(options);
      return { messages, responses: responseMessages, prompts };
    },
    async recorded() {
      const { use } = await open({ user: "auditor" });
      const calls = await use(({ journal }) => recordedCalls(journal));
      return calls.map(({ call, was, context }) => [call.effects[0]?.target, was, context.principal.user]);
    },
  };
}

test("each request is decided and recorded on behalf of its own principal", async () => {
  paid.length = 0;
  const { request, recorded } = server([
    "allow bank.pay * if group finance",
    "deny bank.pay * if not group finance",
  ]);
  await request(ALICE, [pay("A-1", "call_1"), "done"]);
  await request(BOB, [pay("B-1", "call_2"), "done"]);
  await request({ user: "carol" }, [pay("C-1", "call_3"), "done"]);
  expect(paid).toEqual(["A-1"]);
  expect(await recorded()).toEqual([
    ["A-1", "allow", "alice"],
    ["B-1", "deny", "bob"],
    ["C-1", "deny", "carol"],
  ]);
});

test("a call that one user's request made runs on behalf of that user, also if another user sends the approval", async () => {
  paid.length = 0;
  const { request, recorded } = server(["deny bank.pay B-* if group support", "ask bank.pay *"]);
  const first = await request(ALICE, [pay("B-1", "call_1")]);
  await request(BOB, ["done"], answered(first.messages, first.responses, true));
  expect(paid).toEqual(["B-1"]);
  const second = await request(BOB, [pay("B-2", "call_2"), "done"]);
  expect(JSON.stringify(second.responses)).toContain("execution-denied");
  expect(await recorded()).toEqual([
    ["B-1", "ask", "alice"],
    ["B-2", "deny", "bob"],
  ]);
});
