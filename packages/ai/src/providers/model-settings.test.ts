import { stubTool } from "@toolkeep/core/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAgent } from "../agent/create-agent.ts";
import { agentTool } from "../agent/delegation/agent-tool.ts";
import { endOf } from "../agent/scripted-agent.test.kit.ts";
import { compaction } from "../compaction/compaction.ts";
import { startModelServer } from "./model-server.test.kit.ts";
import { marksOf } from "./prompt-cache.test.kit.ts";

beforeEach(() => {
  vi.stubEnv("OPENAI_API_KEY", "key-of-openai");
  vi.stubEnv("ANTHROPIC_API_KEY", "key-of-anthropic");
});
afterEach(() => vi.unstubAllEnvs());

const SETTINGS = {
  temperature: 0.25,
  maxOutputTokens: 321,
  headers: { "x-team": "billing" },
  providerOptions: {
    openai: { user: "u-1" },
    anthropic: { metadata: { userId: "u-2" } },
  },
};

test("OpenAI gets the settings in every step, with its own options alone", async () => {
  const calls = [{ id: "call_1", name: "add", arguments: "{}" }];
  await using server = await startModelServer([{ calls }, { text: "Done." }]);
  vi.stubEnv("OPENAI_BASE_URL", `${server.url}/v1`);
  const add = stubTool("add");
  await using agent = await createAgent({
    ...{ model: "openai/scripted", tools: [add.tool], policy: ["allow add"], ...SETTINGS },
  });
  await endOf(agent.run("Add."));
  expect(server.requests).toHaveLength(2);
  for (const { body, headers } of server.requests) {
    expect(body).toMatchObject({ temperature: 0.25, max_output_tokens: 321, user: "u-1" });
    expect(headers["x-team"]).toBe("billing");
    expect(JSON.stringify(body)).not.toContain("u-2");
  }
});

test("Anthropic gets the settings, and a cache mark for the whole request is the only one of its message", async () => {
  await using server = await startModelServer([{ text: "Done." }]);
  vi.stubEnv("ANTHROPIC_BASE_URL", `${server.url}/v1`);
  const cacheControl = { type: "ephemeral", ttl: "1h" };
  const anthropic = { ...SETTINGS.providerOptions.anthropic, cacheControl };
  await using agent = await createAgent({
    ...{ model: "anthropic/scripted", tools: [stubTool("add").tool], instructions: "You add.", ...SETTINGS },
    providerOptions: { anthropic },
  });
  await endOf(agent.run("Hi."));
  const { body = {}, headers } = server.requests[0] ?? {};
  expect(body).toMatchObject({
    ...{ temperature: 0.25, max_tokens: 321, metadata: { user_id: "u-2" }, cache_control: cacheControl },
    ...{ tools: [{ cache_control: cacheControl }], system: [{ cache_control: cacheControl }] },
  });
  expect(marksOf(body)).toEqual([0, 1]);
  expect(headers?.["x-team"]).toBe("billing");
});

test("a subagent has the settings of its parent, but not its headers for a model of its own", async () => {
  const ask = (name: string) => [{ id: `call_${name}`, name, arguments: '{"task":"Do it."}' }];
  await using server = await startModelServer([
    { calls: ask("same") },
    { text: "Same is done." },
    { calls: ask("other") },
    { text: "Other is done." },
    { text: "Done." },
  ]);
  vi.stubEnv("OPENAI_BASE_URL", `${server.url}/v1`);
  const about = { description: "Works.", instructions: "You work." };
  const same = agentTool({ ...about, name: "same" });
  const other = agentTool({ ...about, name: "other", model: "openai/other" });
  await using agent = await createAgent({
    ...{ model: "openai/scripted", tools: [same, other], ...SETTINGS },
    policy: ["allow same", "allow other"],
  });
  expect(await endOf(agent.run("Go."))).toMatchObject({ reason: "done", text: "Done." });
  expect(server.requests.map(({ body }) => body["model"])).toEqual([
    ...["scripted", "scripted", "scripted", "other", "scripted"],
  ]);
  for (const { body } of server.requests) expect(body).toMatchObject({ temperature: 0.25, user: "u-1" });
  expect(server.requests.map(({ headers }) => headers["x-team"])).toEqual([
    ...["billing", "billing", "billing", undefined, "billing"],
  ]);
});

test("the summary of a long conversation is asked for with the same settings", async () => {
  const calls = (id: string) => [{ id, name: "add", arguments: "{}" }];
  await using server = await startModelServer([
    ...["a", "b", "c", "d"].map((id) => ({ calls: calls(id) })),
    { text: "A summary." },
    { text: "Done." },
  ]);
  vi.stubEnv("OPENAI_BASE_URL", `${server.url}/v1`);
  const add = stubTool("add", () => "x".repeat(4_000));
  await using agent = await createAgent({
    ...{ model: "openai/scripted", tools: [add.tool], policy: ["allow add"], ...SETTINGS },
    compact: compaction({ window: 3_000 }),
  });
  await endOf(agent.run("Add."));
  expect(server.requests.length).toBeGreaterThan(4);
  for (const { headers, body } of server.requests) {
    expect(headers["x-team"]).toBe("billing");
    expect(body).toMatchObject({ max_output_tokens: 321 });
  }
});

test("a setting that no provider could take is an error", async () => {
  const wrong = [
    [{ temperature: Number.NaN }, "`temperature`"],
    [{ maxOutputTokens: 0 }, "`maxOutputTokens`"],
    [{ providerOptions: { anthropic: "fast" } }, "`providerOptions`"],
    [{ headers: { "x-team": 7 } }, "`headers`"],
    [{ model: [] }, "at least one model"],
  ] as const;
  for (const [options, message] of wrong)
    await expect(createAgent({ model: "openai/scripted", ...(options as object) })).rejects.toThrow(message);
});
