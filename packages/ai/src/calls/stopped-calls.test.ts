import { effect } from "@toolkeep/core/internal";
import { generateText, tool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { govern } from "../ai-sdk/govern.ts";
import { request } from "../ai-sdk/governed-chat.test.kit.ts";
import { answered, scriptedModel } from "../ai-sdk/scripted-model.test.kit.ts";

test.each([
  ["aborted", undefined],
  ["timed out", 50],
] as const)("for a call that was %s, the model is told that its outcome is unknown", async (_, timeoutMs) => {
  let paid = 0;
  const controller = new AbortController();
  const pay = tool({
    inputSchema: z.object({}),
    execute: async () => {
      paid += 1;
      if (timeoutMs === undefined) controller.abort();
      await new Promise((resolve) => setTimeout(resolve, 200));
    },
  });
  const declared = { requires: { capabilities: ["bank.pay"] }, effects: () => [effect("bank.pay", "it")] };
  const chat = await govern(
    { pay },
    { tools: { pay: { ...declared, ...(timeoutMs === undefined ? {} : { timeoutMs }) } } },
  );
  const first = await request(chat, [[{ id: "call_1", name: "pay", input: {} }]]);
  const messages = answered(first.messages, first.responses, true);
  const { model } = scriptedModel(["?"]);
  const { tools, toolApproval } = chat;
  const options = { model, tools, toolApproval, messages, abortSignal: controller.signal };
  await generateText(options).catch(() => {});
  await chat.close();
  const again = await request(chat, ["?"], messages);
  expect(paid).toBe(1);
  expect(again.prompts[0]).toContain("The call was stopped and its outcome is unknown.");
  expect(again.prompts[0]).not.toContain("failed");
});
