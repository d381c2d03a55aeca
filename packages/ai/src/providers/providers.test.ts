import { memoryStore } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAgent } from "../agent/create-agent.ts";
import { allOf, endOf } from "../agent/scripted-agent.test.kit.ts";
import type { AgentModel } from "./load-model.ts";
import { loadModel, optionalPackage } from "./load-model.ts";
import { type ServedReply, startModelServer } from "./model-server.test.kit.ts";

beforeEach(() => {
  vi.stubEnv("OPENAI_API_KEY", "key-of-openai");
  vi.stubEnv("ANTHROPIC_API_KEY", "key-of-anthropic");
});
afterEach(() => vi.unstubAllEnvs());

interface ServedProvider {
  readonly provider: string;
  readonly path: string;
  model(url: string): AgentModel;
}

const PROVIDERS: readonly ServedProvider[] = [
  {
    provider: "openai",
    path: "/v1/responses",
    model(url) {
      vi.stubEnv("OPENAI_BASE_URL", `${url}/v1`);
      return "openai/scripted";
    },
  },
  {
    provider: "anthropic",
    path: "/v1/messages",
    model(url) {
      vi.stubEnv("ANTHROPIC_BASE_URL", `${url}/v1`);
      return "anthropic/scripted";
    },
  },
  {
    provider: "openai-compatible",
    path: "/v1/chat/completions",
    model: (url) => ({ name: "scripted", baseUrl: `${url}/v1`, apiKey: "key-of-mine" }),
  },
];

const REPLIES: readonly ServedReply[] = [
  {
    text: "I add them.",
    calls: [
      { id: "call_1", name: "add", arguments: '{"a":1,"b":2}' },
      { id: "call_2", name: "add", arguments: '{"a":1,"b":' },
      { id: "call_3", name: "subtract", arguments: "{}" },
    ],
  },
  { text: "The sum is 3." },
];

test.for(PROVIDERS)(
  "$provider: calls, results and malformed calls travel as the provider wants them",
  async ({ path, model }) => {
    await using server = await startModelServer(REPLIES);
    const add = stubTool("add", ({ a, b }) => Number(a) + Number(b));
    await using agent = await createAgent({
      ...{ model: model(server.url), tools: [add.tool], policy: ["allow add"] },
      instructions: "You add numbers.",
    });
    const events = await allOf(agent.run("What is 1 + 2?"));
    expect(events.at(-1)).toMatchObject({ reason: "done", text: "The sum is 3.", steps: 2 });
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: expect.any(Number), outputTokens: 10 } });
    const texts = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(texts.join("")).toBe("I add them.The sum is 3.");
    expect(texts.length).toBeGreaterThan(2);
    expect(add.executed).toEqual([{ a: 1, b: 2 }]);
    expect(server.requests.map((request) => request.path)).toEqual([path, path]);
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain("You add numbers.");
    expect(first).toContain("A stub of add.");
    expect(second).toContain("[[output 1 of add]]");
    expect(second).toContain("Tool not found: subtract");
    expect(second).toMatch(/call_2.*not valid JSON|call_2.*JSON/s);
  },
);

test("what a provider signs is given back to it, also by another process", async () => {
  const calls = [{ id: "call_1", name: "risky", arguments: "{}" }];
  await using server = await startModelServer([{ thinking: "Hm.", calls }, { text: "Done." }]);
  vi.stubEnv("ANTHROPIC_BASE_URL", `${server.url}/v1`);
  await using store = memoryStore();
  const risky = stubTool("risky");
  const options = {
    ...{ model: "anthropic/scripted", id: "a", store, tools: [risky.tool], policy: ["ask risky"] },
    approver: scriptedApprover("later"),
  };
  const agent = await createAgent(options);
  const events = await allOf(agent.run("Do it."));
  expect(events).toContainEqual({ type: "reasoning", step: 1, text: "Hm." });
  expect(events.at(-1)).toMatchObject({ reason: "waiting" });
  await agent.leave();
  for (const { request } of await store.waiting()) await store.answer(request, { verdict: "once" });
  await using later = await createAgent(options);
  expect(await endOf(later.resume())).toMatchObject({ reason: "done" });
  expect(JSON.stringify(server.requests[1]?.body)).toContain("signed-by-the-provider");
});

test("a provider that refuses ends the run in this process, and it can be continued", async () => {
  await using server = await startModelServer([{ status: 401 }, { text: "Hello." }]);
  const model = { name: "scripted", baseUrl: `${server.url}/v1` };
  await using agent = await createAgent({ model });
  const end = await endOf(agent.run("Hi."));
  expect(end).toMatchObject({ reason: "failed", steps: 0 });
  expect(String(end.error)).toContain("refused by the script");
  await expect(endOf(agent.run("Again?"))).rejects.toThrow("agent.resume()");
  expect(await endOf(agent.resume())).toMatchObject({ reason: "done", text: "Hello.", steps: 1 });
});

test("a model that is none is an error that lists the providers", async () => {
  for (const model of ["claude", "acme/large", "openai/", "toString/x"])
    await expect(loadModel(model)).rejects.toThrow(/^Unknown model .* anthropic, openai, google, /);
});

test("a package that is not installed is named with the command that installs it", async () => {
  await expect(optionalPackage("@toolkeep/no-such-provider", 'The model "x/y"')).rejects.toThrow(
    'The model "x/y" needs the package @toolkeep/no-such-provider, which could not be loaded. Install it: npm install @toolkeep/no-such-provider. In a bundle that runs without node_modules, give the model of that package itself as `model`.',
  );
});

test("google is loaded by its name", async () => {
  expect(await loadModel("google/gemini-pro-latest")).toMatchObject({ modelId: "gemini-pro-latest" });
});
