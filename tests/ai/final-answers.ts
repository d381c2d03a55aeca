import type { SessionStore } from "@toolkeep/core";
import { type ModelMessage, tool } from "ai";
import { expect } from "vitest";
import { z } from "zod";
import { quickStart } from "../../packages/ai/src/ai-sdk/quick-start.test.kit.ts";
import { answered, type Reply, scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";

/** A tool that pays, one that looks, and what was paid. */
export function bank() {
  const paid: string[] = [];
  const pay = tool({
    description: "Pays an invoice.",
    inputSchema: z.object({ invoice: z.string() }),
    execute: ({ invoice }) => {
      paid.push(invoice);
      return `paid ${invoice}`;
    },
  });
  const look = tool({ description: "Looks.", inputSchema: z.object({}), execute: () => "seen" });
  return { paid, tools: { pay, look } };
}

export const CHAT: ModelMessage[] = [{ role: "user", content: "Pay A-7." }];
export const call = (invoice: string, id = "call_1") => ({ id, name: "pay", input: { invoice } });

/** The printed quick start: a user says no, and a client sends a yes for the same request later. */
export async function noThenYes(store: SessionStore): Promise<void> {
  const { paid, tools: myTools } = bank();
  const ask = async (replies: readonly Reply[], messages: ModelMessage[]) => {
    const { model, prompts } = scriptedModel(replies);
    const result = await quickStart({ myTools, model, messages, store, sessionId: "chat-1" });
    await result.consumeStream();
    return { prompts, responses: await result.responseMessages };
  };
  const { responses } = await ask([[call("A-7")]], CHAT);
  await ask(["all right"], answered(CHAT, responses, false));
  const { prompts } = await ask(["?"], answered(CHAT, responses, true));
  expect(paid).toEqual([]);
  expect(prompts[0]).toContain("already refused");
  expect(await store.waiting()).toEqual([]);
}
