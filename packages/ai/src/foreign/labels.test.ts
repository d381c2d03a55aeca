import { effect } from "@toolkeep/core/internal";
import { tool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { type GovernOptions, govern } from "../ai-sdk/govern.ts";
import { request } from "../ai-sdk/governed-chat.test.kit.ts";

const inputSchema = z.object({});
const TOOLS = {
  search_web: tool({ inputSchema, execute: () => "a page" }),
  lookup_order: tool({ inputSchema, execute: () => ({ total: 40 }) }),
  send_email: tool({ inputSchema, execute: () => "sent" }),
};
const declared = (capability: string) => ({
  requires: { capabilities: [capability] },
  effects: () => [effect(capability, "it")],
});
const OPTIONS = {
  policy: { mode: "yolo" },
  tools: {
    search_web: { ...declared("web.search"), labels: ["untrusted"] },
    lookup_order: { ...declared("shop.read"), labels: ["private"] },
    send_email: declared("email.send"),
  },
} satisfies GovernOptions<typeof TOOLS>;
const call = (name: keyof typeof TOOLS) => [{ id: `call_${name}`, name, input: {} }];

test("the data of an application counts for the rule of two, where its declarations say what it is", async () => {
  const chat = await govern(TOOLS, OPTIONS);
  const { steps, responses } = await request(chat, [
    call("search_web"),
    call("lookup_order"),
    call("send_email"),
  ]);
  const ran = steps.flatMap(({ toolResults }) => toolResults.map(({ toolName }) => toolName));
  expect(ran).toEqual(["search_web", "lookup_order"]);
  expect(JSON.stringify(responses)).toMatch(/tool-approval-request.*private data/);
});
