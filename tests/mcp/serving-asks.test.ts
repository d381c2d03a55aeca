import { defineTool } from "@toolkeep/core";
import { afterEach, describe, expect, test } from "vitest";
import { countingTool, GENERATIONS, openServed, type Served, textOf } from "./served.ts";

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

const CALL = { name: "deploy", arguments: { version: "1" } };

describe.each(GENERATIONS)("a client of the %s protocol generation that can ask its person", (generation) => {
  test("runs the call once when the person allows it once, and asks again for the next one", async () => {
    const { tool, runs } = countingTool();
    const asked: string[] = [];
    served = await openServed({ session: { tools: [tool] } });
    const client = await served.client(generation, {
      elicit: (params) => {
        asked.push(params.message);
        return { action: "accept", content: { decision: "Allow once" } };
      },
    });
    expect(textOf(await client.callTool(CALL))).toBe("deployed 1");
    expect(textOf(await client.callTool(CALL))).toBe("deployed 1");
    expect(runs).toHaveLength(2);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("deploy");
    expect(asked[0]).toContain("deploy.run");
  });

  test("is not asked a second time after `Always allow`", async () => {
    const { tool, runs } = countingTool();
    let asked = 0;
    served = await openServed({ session: { tools: [tool] } });
    const client = await served.client(generation, {
      elicit: () => {
        asked += 1;
        return { action: "accept", content: { decision: "Always allow" } };
      },
    });
    await client.callTool(CALL);
    await client.callTool(CALL);
    expect([runs.length, asked]).toEqual([2, 1]);
  });

  test.each([
    { action: "decline" as const },
    { action: "cancel" as const },
    { action: "accept" as const, content: {} },
    { action: "accept" as const, content: { decision: "Yes!" } },
    { action: "accept" as const, content: { decision: "Reject", note: "not on Fridays" } },
  ])("takes $action with $content for a no, tells it once and asks anew", async (answer) => {
    const { tool, runs } = countingTool();
    let asked = 0;
    served = await openServed({ session: { tools: [tool] } });
    const client = await served.client(generation, {
      elicit: () => {
        asked += 1;
        return answer;
      },
    });
    const first = await client.callTool(CALL);
    expect(first.isError).toBe(true);
    expect(textOf(first)).toContain(answer.content?.note ?? "Denied by the user");
    await client.callTool(CALL);
    expect([runs.length, asked]).toEqual([0, 2]);
  });

  test("is asked what a tool wants to know, and the answers come back as lists of texts", async () => {
    const seen: unknown[] = [];
    const ask = defineTool({
      name: "ask",
      description: "Asks.",
      inputSchema: { type: "object" },
      requires: {},
      mode: "read",
      gated: false,
      async execute(_args, ctx) {
        seen.push(
          await ctx.ask([
            { question: "Which colour?", options: [{ label: "red" }, { label: "blue" }] },
            { question: "Which name?" },
          ]),
        );
        return "thanks";
      },
    });
    served = await openServed({ session: { tools: [ask] } });
    const client = await served.client(generation, {
      elicit: () => ({ action: "accept", content: { answer1: "blue", answer2: "Ada" } }),
    });
    expect(textOf(await client.callTool({ name: "ask", arguments: {} }))).toBe("thanks");
    expect(seen).toEqual([[["blue"], ["Ada"]]]);
  });
});

describe.each(GENERATIONS)(
  "a client of the %s protocol generation that cannot ask its user",
  (generation) => {
    test("is denied, and told which rule would grant it, when there is no other approver either", async () => {
      const { tool, runs } = countingTool();
      served = await openServed({ session: { tools: [tool] } });
      const client = await served.client(generation);
      const result = await client.callTool(CALL);
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(/no approver is configured.*"permission":"deploy/s);
      expect(runs).toEqual([]);
    });

    test("gets the call executed with the rule that it was told of", async () => {
      const { tool } = countingTool();
      served = await openServed({ session: { tools: [tool] } });
      const denied = textOf(await (await served.client(generation)).callTool(CALL));
      await served.close();
      const rules = [...denied.matchAll(/\{"permission".*?\}/g)].map(([rule]) => JSON.parse(rule));
      expect(rules.length).toBeGreaterThan(0);
      served = await openServed({ session: { tools: [tool], policy: rules } });
      expect(textOf(await (await served.client(generation)).callTool(CALL))).toBe("deployed 1");
    });
  },
);
