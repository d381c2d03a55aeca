import { memoryStore, type Tool } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAgent } from "../agent/create-agent.ts";
import { allOf, endOf } from "../agent/scripted-agent.test.kit.ts";
import { type ModelServer, type ServedReply, startModelServer } from "./model-server.test.kit.ts";
import { marksOf, prefixOf } from "./prompt-cache.test.kit.ts";

beforeEach(() => {
  vi.stubEnv("OPENAI_API_KEY", "key-of-openai");
  vi.stubEnv("ANTHROPIC_API_KEY", "key-of-anthropic");
});
afterEach(() => vi.unstubAllEnvs());

/** Long enough that what is repeated weighs more than what a step adds. */
const INSTRUCTIONS = "You add numbers. ".repeat(100);

const callsOf = (step: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: `call_${step}_${index}`, name: "add", arguments: `{"a":${step},"b":${index}}` },
  }));

/** Ten steps; the sixth one has more calls than Anthropic looks back over. */
const TEN_STEPS: readonly ServedReply[] = [
  ...Array.from(
    { length: 9 },
    (_, step): ServedReply => ({
      thinking: `Step ${step}.`,
      text: `I add ${step}.`,
      calls: callsOf(step, step === 5 ? 30 : 2),
    }),
  ),
  { text: "Done." },
];

function addTools(): readonly Tool[] {
  const add = stubTool("add", ({ a, b }) => Number(a) + Number(b));
  return [add.tool, stubTool("subtract", () => 0).tool];
}

const isPrefix = (before: readonly string[], after: readonly string[]) =>
  before.every((block, index) => block === after[index]);

async function tenSteps(server: ModelServer, model: string) {
  await using agent = await createAgent({
    ...{ model, tools: addTools(), policy: ["allow add"], instructions: INSTRUCTIONS },
  });
  const events = await allOf(agent.run("Add all of them."));
  expect(events.at(-1)).toMatchObject({ reason: "done", steps: 10 });
  return { events, bodies: server.requests.map(({ body }) => body) };
}

test("Anthropic: every step has marks, and repeats the step before byte for byte apart from them", async () => {
  await using server = await startModelServer(TEN_STEPS);
  vi.stubEnv("ANTHROPIC_BASE_URL", `${server.url}/v1`);
  const { bodies, events } = await tenSteps(server, "anthropic/scripted");
  expect(bodies).toHaveLength(10);
  for (const [index, body] of bodies.entries()) {
    const marks = marksOf(body);
    const before = bodies[index - 1];
    const prefix = prefixOf(body);
    // The last of two definitions, the system prompt, the end of the request before, the end of this one.
    const ends = before === undefined ? [] : [prefixOf(before).length - 1];
    expect(marks).toEqual([1, 2, ...ends, prefix.length - 1]);
    expect(isPrefix(before === undefined ? [] : prefixOf(before), prefix)).toBe(true);
    const { tools, system } = body as { tools: readonly object[]; system: readonly object[] };
    for (const marked of [tools.at(-1), system[0]])
      expect(marked).toMatchObject({ cache_control: { type: "ephemeral" } });
    expect(JSON.stringify([tools, system])).toBe(
      JSON.stringify([bodies[0]?.["tools"], bodies[0]?.["system"]]),
    );
  }
  const usages = events.flatMap((event) => (event.type === "step-end" ? [event.usage] : []));
  // Each step reads all that the step before had sent.
  expect(usages.map(({ cachedTokens }) => cachedTokens)).toEqual([
    0,
    ...usages.slice(0, -1).map(({ inputTokens }) => inputTokens),
  ]);
  const end = events.at(-1) as { usage: { inputTokens: number; cachedTokens: number } };
  expect(end.usage.cachedTokens).toBe(usages.reduce((sum, one) => sum + one.cachedTokens, 0));
  expect(end.usage.cachedTokens / end.usage.inputTokens).toBeGreaterThan(0.8);
});

test("Anthropic: another process that continues a run sends the same beginning, and reads the cache", async () => {
  const calls = [{ id: "call_1", name: "risky", arguments: "{}" }];
  await using server = await startModelServer([{ text: "I ask.", calls }, { text: "Done." }]);
  vi.stubEnv("ANTHROPIC_BASE_URL", `${server.url}/v1`);
  await using store = memoryStore();
  const options = {
    ...{ model: "anthropic/scripted", id: "a", store, policy: ["ask risky"], instructions: INSTRUCTIONS },
    ...{ tools: [stubTool("risky").tool], approver: scriptedApprover("later") },
  };
  const agent = await createAgent(options);
  await endOf(agent.run("Do it."));
  await agent.leave();
  for (const { request } of await store.waiting()) await store.answer(request, { verdict: "once" });
  await using later = await createAgent(options);
  const events = await allOf(later.resume());
  const [first = {}, second = {}] = server.requests.map(({ body }) => body);
  expect(isPrefix(prefixOf(first), prefixOf(second))).toBe(true);
  const last = events.findLast((event) => event.type === "step-end");
  expect(last?.usage.cachedTokens).toBeGreaterThan(0);
});

test("OpenAI caches by itself: it gets no marks, and the same beginning in every step", async () => {
  await using server = await startModelServer(TEN_STEPS);
  vi.stubEnv("OPENAI_BASE_URL", `${server.url}/v1`);
  const { bodies, events } = await tenSteps(server, "openai/scripted");
  for (const [index, body] of bodies.entries()) {
    expect(JSON.stringify(body)).not.toContain("cache_control");
    const [{ input, tools }, before] = [body, bodies[index - 1]];
    if (before === undefined) continue;
    const blocks = (given: unknown) => (given as readonly unknown[]).map((one) => JSON.stringify(one));
    expect(isPrefix(blocks(before["input"]), blocks(input))).toBe(true);
    expect(JSON.stringify(tools)).toBe(JSON.stringify(before["tools"]));
  }
  expect(events.at(-1)).toMatchObject({ usage: { cachedTokens: 40 } });
});
