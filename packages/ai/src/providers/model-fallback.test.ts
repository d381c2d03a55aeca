import { memoryStore } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAgent } from "../agent/create-agent.ts";
import { allOf } from "../agent/scripted-agent.test.kit.ts";
import { type ServedReply, startModelServer } from "./model-server.test.kit.ts";

beforeEach(() => {
  vi.stubEnv("OPENAI_API_KEY", "key-of-openai");
  vi.stubEnv("ANTHROPIC_API_KEY", "key-of-anthropic");
});
afterEach(() => vi.unstubAllEnvs());

const BOTH = ["anthropic/first", "openai/second"] as const;

/** A server for each of two providers. */
async function twoServers(first: readonly ServedReply[], second: readonly ServedReply[]) {
  const servers = { first: await startModelServer(first), second: await startModelServer(second) };
  vi.stubEnv("ANTHROPIC_BASE_URL", `${servers.first.url}/v1`);
  vi.stubEnv("OPENAI_BASE_URL", `${servers.second.url}/v1`);
  return {
    ...servers,
    asked: () => [servers.first.requests.length, servers.second.requests.length],
    async [Symbol.asyncDispose]() {
      await servers.first[Symbol.asyncDispose]();
      await servers.second[Symbol.asyncDispose]();
    },
  };
}

const calls = [{ id: "call_1", name: "add", arguments: "{}" }];

test("each step asks the first model, and the next one where it fails; events and journal say so", async () => {
  await using servers = await twoServers([{ status: 529 }, { text: "Done." }], [{ calls }]);
  await using store = memoryStore();
  await using agent = await createAgent({
    ...{ model: BOTH, store, id: "a", tools: [stubTool("add").tool], policy: ["allow add"] },
  });
  const events = await allOf(agent.run("Add."));
  expect(servers.asked()).toEqual([2, 1]);
  expect(events.filter(({ type }) => type === "fallback")).toEqual([
    {
      ...{ type: "fallback", step: 1, model: "anthropic/first", next: "openai/second" },
      error: expect.objectContaining({ statusCode: 529 }),
    },
  ]);
  const [first, second] = events.filter((event) => event.type === "step-end");
  expect(first).toMatchObject({ model: "openai/second", calls: [{ id: "call_1" }] });
  expect(second).not.toHaveProperty("model");
  expect(events.at(-1)).toMatchObject({ reason: "done", text: "Done.", steps: 2 });
  const recorded: unknown[] = [];
  for await (const event of agent.session.journal.read({ types: ["model-reply"] }))
    if (event.type === "model-reply") recorded.push((event.value.value as { model?: string }).model);
  expect(recorded).toEqual(["openai/second", undefined]);
});

test("a refused key, a limit, an unknown model, a long prompt and an address without a server are reasons to ask the next one", async () => {
  for (const status of [400, 401, 404, 413, 429, 500]) {
    await using servers = await twoServers([{ status }], [{ text: "Done." }]);
    await using agent = await createAgent({ model: BOTH });
    expect((await allOf(agent.run("Hi."))).at(-1), String(status)).toMatchObject({ reason: "done" });
    expect(servers.asked()).toEqual([1, 1]);
  }
  await using servers = await twoServers([], [{ text: "Done." }]);
  vi.stubEnv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1/v1");
  await using agent = await createAgent({ model: BOTH });
  expect((await allOf(agent.run("Hi."))).at(-1)).toMatchObject({ reason: "done" });
  expect(servers.asked()).toEqual([0, 1]);
});

test("what the model began to write stays: a reply that breaks off is not asked of another model", async () => {
  for (const begun of [{ text: "I begin." }, { calls }, { thinking: "Hm." }]) {
    await using servers = await twoServers([{ ...begun, breaksOff: true }], [{ text: "Done." }]);
    await using agent = await createAgent({ model: BOTH, tools: [stubTool("add").tool] });
    expect((await allOf(agent.run("Hi."))).at(-1)).toMatchObject({ reason: "failed" });
    expect(servers.asked()).toEqual([1, 0]);
  }
});

test("an overload that is reported before the first word is a reason to ask the next one", async () => {
  await using servers = await twoServers([{ breaksOff: true }], [{ text: "Done." }]);
  await using agent = await createAgent({ model: BOTH });
  expect((await allOf(agent.run("Hi."))).at(-1)).toMatchObject({ reason: "done", text: "Done." });
  expect(servers.asked()).toEqual([1, 1]);
});

test("a run that is cancelled while the first model is asked does not go to the next one", async () => {
  await using servers = await twoServers([{ hangs: true }], [{ text: "Done." }]);
  await using agent = await createAgent({ model: BOTH });
  const events = allOf(agent.run("Hi."));
  await vi.waitUntil(() => servers.first.requests.length === 1);
  agent.cancel();
  expect((await events).at(-1)).toMatchObject({ reason: "cancelled" });
  expect(servers.asked()).toEqual([1, 0]);
});

test("the failure of the last model ends the run in this process", async () => {
  await using servers = await twoServers([{ status: 401 }], [{ status: 403 }]);
  await using agent = await createAgent({ model: BOTH });
  const events = await allOf(agent.run("Hi."));
  expect(events.filter(({ type }) => type === "fallback")).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ reason: "failed", error: { statusCode: 403 } });
  expect(servers.asked()).toEqual([1, 1]);
});
