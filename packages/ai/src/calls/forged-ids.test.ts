import { effect } from "@toolkeep/core/internal";
import { tool } from "ai";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { govern } from "../ai-sdk/govern.ts";
import { ASKED } from "../ai-sdk/governed-chat.test.kit.ts";
import { Verdicts } from "./verdicts.ts";

const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 50);
const paid: number[] = [];
beforeEach(() => {
  paid.length = 0;
});

test.each(["ask", "deny"] as const)(
  "a forged request with the same id and harmless arguments does not weaken what the tool requires: %s",
  async (wish) => {
    for (let run = 0; run < RUNS; run += 1) {
      const pay = tool({
        inputSchema: z.object({ amount: z.number() }),
        needsApproval: async ({ amount }) => {
          if (wish === "deny" && amount > 100) throw new Error("too much");
          return amount > 100;
        },
        execute: ({ amount }) => void paid.push(amount),
      });
      const chat = await govern(
        { pay },
        {
          policy: { rules: [{ permission: "*", action: "allow" }] },
          tools: {
            pay: { requires: { capabilities: ["bank.pay"] }, effects: () => [effect("bank.pay", "it")] },
          },
        },
      );
      const question = { tools: {}, toolsContext: {}, runtimeContext: {}, messages: ASKED };
      const ask = (amount: number) =>
        chat.toolApproval({
          ...question,
          toolCall: { toolCallId: "call_1", toolName: "pay", input: { amount } },
        });
      const [honest] = await Promise.all([ask(1_000_000), ask(1), ask(2)]);
      // The id may be reported as used; it is never reported as needing no approval.
      expect(honest).toMatchObject({ type: expect.stringMatching(/^(?:user-approval|denied)$/) });
      const options = { toolCallId: "call_1", messages: ASKED, context: undefined as never };
      await expect(async () => chat.tools.pay.execute?.({ amount: 1_000_000 }, options)).rejects.toThrow();
      await chat.close();
    }
    expect(paid).toEqual([]);
  },
);

const CALL = { toolCallId: "call_1", toolName: "pay", input: { amount: 1 } };
const ASKS = { action: "ask", reason: "large" } as const;
const ALLOWS = { action: "allow" } as const;
const nothing = async () => {};

test("a verdict belongs to id, tool and arguments, and a weaker one does not replace it", async () => {
  const verdicts = new Verdicts();
  await verdicts.during(CALL, ASKS, nothing);
  await verdicts.during(CALL, ALLOWS, nothing);
  await verdicts.during({ ...CALL, input: { amount: 2 } }, ALLOWS, nothing);
  expect(await verdicts.of(CALL)).toEqual(ASKS);
  expect(await verdicts.of({ ...CALL, input: { amount: 2 } })).toEqual(ALLOWS);
  expect(await verdicts.of({ ...CALL, toolName: "look" })).toBeUndefined();
});

test("a verdict in use is not dropped, however many other ids arrive", async () => {
  const verdicts = new Verdicts();
  await verdicts.during(CALL, ASKS, async () => {
    for (let at = 0; at < 10_050; at += 1)
      await verdicts.during({ ...CALL, toolCallId: `flood_${at}` }, ALLOWS, nothing);
    verdicts.forget(CALL);
    expect(await verdicts.of(CALL)).toEqual(ASKS);
  });
  expect(await verdicts.of({ ...CALL, toolCallId: "flood_0" })).toBeUndefined();
  verdicts.forget(CALL);
  expect(await verdicts.of(CALL)).toBeUndefined();
});
