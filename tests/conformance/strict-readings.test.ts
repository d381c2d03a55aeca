import { createRegistry, createSession, defineTool, ToolFailure, type ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { effect } from "@toolkeep/core/internal";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { describe, expect, test } from "vitest";
import { createBudgets, tokenCounter } from "../../packages/core/src/session/token-budget.ts";
import { call, until } from "../scenario.ts";

/** Fields of a context, as a model may name its arguments. */
const SMUGGLED = {
  toolCallId: "mine",
  toolName: "other",
  sessionId: "theirs",
  config: { admin: true },
  effects: [],
  state: "mine",
  constructor: "mine",
  ask: "mine",
};

test("[C13] no argument reaches the context, and nothing of the context reaches the arguments", async () => {
  const seen: { args: unknown; ctx: Record<string, unknown>; given: number }[] = [];
  const tool = defineTool({
    name: "looker",
    description: "Looks at what it is given.",
    inputSchema: { type: "object" },
    requires: {},
    mode: "read",
    execute(...given) {
      const [args, ctx] = given;
      const { toolCallId, toolName, sessionId, config, effects } = ctx;
      const fields = { toolCallId, toolName, sessionId, config, effects, ask: typeof ctx.ask };
      seen.push({ args: structuredClone(args), ctx: fields, given: given.length });
    },
  });
  const session = await createSession({ tools: [tool], id: "s" });
  const argsTexts = [JSON.stringify(SMUGGLED), "{}"];
  for (const [index, text] of argsTexts.entries()) await session.call(call("looker", text, `c${index}`));
  expect(seen).toHaveLength(argsTexts.length);
  expect(seen.map(({ args }) => JSON.stringify(args))).toEqual(
    argsTexts.map((text) => JSON.stringify(JSON.parse(text))),
  );
  for (const [index, { ctx, given }] of seen.entries()) {
    expect(given).toBe(2);
    expect(ctx).toEqual({
      toolCallId: `c${index}`,
      toolName: "looker",
      sessionId: "s",
      config: {},
      effects: [],
      ask: "function",
    });
  }
});

test("[C21] a tool that is taken away finishes its calls, takes no new ones, and is disposed once", async () => {
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { tool } = stubTool(
    "slow",
    async () => {
      log.push("call");
      await gate.promise;
      log.push("call over");
      return "done";
    },
    {
      init: () => void log.push("init"),
      activate: () => void log.push("activate"),
      deactivate: () => void log.push("deactivate"),
      dispose: () => void log.push("dispose"),
    },
  );
  const registry = createRegistry();
  registry.register(tool);
  const session = await createSession({ registry });
  expect(log).toEqual(["init", "activate"]);
  const running = session.run([call("slow", {}, "1")]);
  await until(() => log.includes("call"));
  expect(registry.unregister("slow")).toBe(true);
  expect((await session.call(call("slow", {}, "2"))).failure?.code).toBe("not_found");
  expect(log).toEqual(["init", "activate", "call"]);
  gate.resolve();
  expect((await running).results).toMatchObject([{ ok: true, data: "done" }]);
  await registry.settled();
  expect(registry.unregister("slow")).toBe(false);
  registry.clear();
  await session.close();
  await session.close();
  await registry.settled();
  expect(log).toEqual(["init", "activate", "call", "call over", "deactivate", "dispose"]);
});

test("[C28] a list of allowed tools decides who is asked, and not what can be called", async () => {
  const tools = ["listed", "other"].map(
    (name) =>
      stubTool(name, () => name, { requires: { capabilities: ["a.b"] }, effects: () => [effect("a.b", "x")] })
        .tool,
  );
  const approver = scriptedApprover("once");
  const session = await createSession({
    tools,
    approver,
    policy: { mode: "allowlist", allowList: ["listed"] },
  });
  const names = session.tools().map(({ name }) => name);
  for (const name of names) expect((await session.call(call(name, {}, name))).data).toBe(name);
  expect(approver.requests.map(({ toolName }) => toolName)).toEqual(["other"]);
});

test("[C42] the four errors have these texts, as the model reads them", async () => {
  const { tool: failing } = stubTool("failing", () => {
    throw new ToolFailure("quota", "The quota is used up.");
  });
  const { tool: exact } = stubTool("strict");
  const strict = defineTool({
    ...exact,
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  });
  const { tool: waiting } = stubTool("waiting", () => new Promise(() => {}));
  const session = await createSession({ tools: [failing, strict, waiting], limits: { graceMs: 10 } });
  const stop = new AbortController();
  const cancelled = session.call(call("waiting", {}, "4"), { signal: stop.signal });
  stop.abort();
  const results = await Promise.all([
    session.call(call("failing", {}, "1")),
    session.call(call("zzz", {}, "2")),
    session.call(call("strict", {}, "3")),
    cancelled,
  ]);
  expect(results.map(({ ok, failure }) => [ok, failure?.message])).toEqual([
    [false, "The quota is used up."],
    [false, "Tool not found: zzz"],
    [false, 'Invalid arguments: arguments: the property "city" is missing'],
    [false, "Cancelled"],
  ]);
  for (const result of results) expect(modelText(result)).toContain(result.failure?.message);
});

describe("the budget of a turn", async () => {
  const countTokens = await tokenCounter();
  const { tool } = stubTool("a", () => "x".repeat(50_000));
  const args = { "a name that costs": "some words that cost tokens ".repeat(40) };
  const cost = countTokens(JSON.stringify(args));
  const affordable = Math.floor(8_000 / cost);
  const many = (count: number) => Array.from({ length: count }, (_, n) => call("a", args, `c${n}`));
  const passed = (results: readonly (ToolResult | undefined)[]) => results.filter((one) => one?.ok).length;

  test("[C90] is 8,000 tokens of argument JSON, exactly, and results cost nothing", async () => {
    const session = await createSession({ tools: [tool], budget: {} });
    const { results } = await session.run(many(affordable + 2));
    expect(passed(results)).toBe(affordable);
    expect(results.at(-1)?.failure?.code).toBe("budget_exceeded");
    expect(cost).toBeGreaterThan(countTokens(Object.values(args)[0] as string));
  });

  test("[C90] belongs to its turn: turns at the same time do not spend each other's", async () => {
    const session = await createSession({ tools: [tool], budget: {} });
    const turns = await Promise.all([1, 2, 3].map(() => session.run(many(affordable + 1))));
    expect(turns.map(({ results }) => passed(results))).toEqual([affordable, affordable, affordable]);
  });

  test("[C90] is off unless it is wanted, and can be set and reset", async () => {
    const free = await createSession({ tools: [tool] });
    expect(passed((await free.run(many(affordable + 5))).results)).toBe(affordable + 5);
    const small = await createSession({ tools: [tool], budget: { tokens: 2 * cost } });
    expect(passed((await small.run(many(4))).results)).toBe(2);
    const budget = (await createBudgets({ tokens: cost }))();
    const spend = async (id: string) => (await free.call(call("a", args, id), { budget })).ok;
    expect([await spend("1"), await spend("2")]).toEqual([true, false]);
    budget.reset();
    expect([await spend("3"), await spend("4")]).toEqual([true, false]);
  });
});
