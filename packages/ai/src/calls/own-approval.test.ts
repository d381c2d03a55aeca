import { effect } from "@toolkeep/core/internal";
import { tool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { type GovernOptions, govern } from "../ai-sdk/govern.ts";

const tools = {
  work: tool({ inputSchema: z.object({ n: z.number() }), execute: () => "ran" }),
  picky: tool({
    inputSchema: z.object({ n: z.number() }),
    needsApproval: ({ n }) => {
      if (n < 0) throw new Error("no such number");
      return n > 10;
    },
    execute: () => "ran",
  }),
};

const DECLARED = { requires: { capabilities: ["work"] }, effects: () => [effect("work", "it")] };
let calls = 0;

async function statusOf(
  toolName: "work" | "picky",
  n: number,
  more: Partial<GovernOptions<typeof tools>> = {},
): Promise<string> {
  calls += 1;
  const governed = await govern(tools, {
    policy: { rules: [{ permission: "work", action: "allow" }] },
    tools: { work: DECLARED, picky: DECLARED },
    ...more,
  });
  const toolCall = { toolCallId: `call_${calls}`, toolName, input: { n } };
  const status = await governed.toolApproval({
    toolCall,
    tools,
    toolsContext: {},
    runtimeContext: {},
    messages: [],
  });
  return typeof status === "object" ? `${status.type}: ${status.reason}` : (status ?? "not-applicable");
}

test("needsApproval of a tool asks where a rule allows, and denies where it throws", async () => {
  expect(await statusOf("picky", 1)).toBe("not-applicable");
  expect(await statusOf("picky", 11)).toMatch(/^user-approval: .*The tool declares needsApproval/);
  expect(await statusOf("picky", -1)).toMatch(/^denied: .*approval function failed/);
});

test("the existing approval configuration narrows policy, in all of its forms", async () => {
  const asks = /^user-approval: .*approval function objects/;
  expect(await statusOf("work", 1, { toolApproval: { work: "user-approval" } })).toMatch(asks);
  expect(
    await statusOf("work", 1, { toolApproval: { work: ({ n }) => (n > 0 ? "denied" : "approved") } }),
  ).toMatch(/^denied/);
  expect(
    await statusOf("work", 0, { toolApproval: { work: ({ n }) => (n > 0 ? "denied" : "approved") } }),
  ).toBe("not-applicable");
  const generic = ({ toolCall }: { toolCall: { toolName: string } }) =>
    toolCall.toolName === "work" ? { type: "denied" as const, reason: "closed on sundays" } : undefined;
  expect(await statusOf("work", 1, { toolApproval: generic })).toContain("closed on sundays");
});

test("it widens nothing: what it approves still asks where policy asks", async () => {
  const status = await statusOf("work", 1, { policy: {}, toolApproval: { work: "approved" } });
  expect(status).toBe("user-approval: No policy rule allows `work it`.");
});

test("it also narrows an authorizer of the host application", async () => {
  const authorizer = { decide: () => ({ action: "allow", layer: "rule", matchedBy: "mine" }) as const };
  const base = { policy: authorizer } as unknown as Partial<GovernOptions<typeof tools>>;
  expect(await statusOf("work", 1, base)).toBe("not-applicable");
  expect(await statusOf("picky", 11, base)).toMatch(/^user-approval/);
});
