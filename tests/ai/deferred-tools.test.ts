import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import { createRegistry, createSession, memoryStore, type Registry, type Tool } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openApiTools } from "@toolkeep/openapi";
import { standardTools } from "@toolkeep/tools";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  type ModelServer,
  type ServedReply,
  startModelServer,
} from "../../packages/ai/src/providers/model-server.test.kit.ts";
import { documentPath } from "../openapi/real-documents.ts";

const COUNT = 500;
const MOST_BYTES = 15_000;

/** What a user asks for, what a model searches for then, and the tools that do it. */
const TASKS = JSON.parse(readFileSync(join(import.meta.dirname, "search-tasks.json"), "utf8")) as readonly {
  readonly task: string;
  readonly search: string;
  readonly tools: readonly string[];
}[];

let tools: readonly Tool[];
let registry: Registry;

beforeAll(async () => {
  tools = await operations(COUNT);
  registry = createRegistry();
  for (const tool of [...standardTools(), ...tools]) expect(registry.register(tool)).toBeUndefined();
});
beforeEach(() => {
  vi.stubEnv("ANTHROPIC_API_KEY", "key-of-anthropic");
  vi.stubEnv("OPENAI_API_KEY", "key-of-openai");
});
afterEach(() => vi.unstubAllEnvs());

/** Operations of services in use, as their makers describe them. */
async function operations(count: number): Promise<readonly Tool[]> {
  const all: Tool[] = [];
  for (const name of ["neon", "directus", "readme", "gitbook"] as const) {
    const set = await openApiTools({
      ...{ document: documentPath(name), baseUrl: "https://api.example.com/v1", prefix: name },
      deprecated: true,
    });
    all.push(...set.tools);
  }
  return all.slice(0, count);
}

const search = (query: string): ServedReply => ({
  calls: [{ id: `call_${query.length}`, name: "tool_search", arguments: JSON.stringify({ query }) }],
});

interface Definition {
  readonly name: string;
}

/** The definitions of each step, as they went over the wire. */
function definitionsOf(server: ModelServer): readonly (readonly Definition[])[] {
  return server.requests.map(({ body }) => body["tools"] as readonly Definition[]);
}

const bytesOf = (definitions: readonly Definition[]) => Buffer.byteLength(JSON.stringify(definitions));
const namesOf = (definitions: readonly Definition[]) => definitions.map(({ name }) => name);

test("with 500 tools a step has at most 15 KB of definitions, and a search finds the right tool in 9 of 10 tasks", async () => {
  const missed: string[] = [];
  for (const { task, search: query, tools: right } of TASKS) {
    for (const name of right)
      expect(
        tools.some((tool) => tool.name === name),
        name,
      ).toBe(true);
    await using server = await startModelServer([search(query), { text: "Done." }]);
    vi.stubEnv("ANTHROPIC_BASE_URL", `${server.url}/v1`);
    await using agent = await createAgent({ model: "anthropic/scripted", registry });
    await Array.fromAsync(agent.run(task));
    const [before = [], after = []] = definitionsOf(server);
    expect(before.some(({ name }) => right.includes(name))).toBe(false);
    expect(Math.max(bytesOf(before), bytesOf(after))).toBeLessThanOrEqual(MOST_BYTES);
    if (!after.some(({ name }) => right.includes(name))) missed.push(task);
  }
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(TASKS.length / 10);
});

test("the sentence of a user, word by word, finds the right tool in 8 of 10 tasks", async () => {
  await using session = await createSession({ registry });
  const missed: string[] = [];
  for (const { task, tools: right } of TASKS) {
    const { data } = await session.call("tool_search", { query: task });
    const found = (data as { readonly tools: readonly Definition[] }).tools;
    if (!found.some(({ name }) => right.includes(name))) missed.push(task);
  }
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(TASKS.length / 5);
});

test("what was found is added at the end, stays within the bytes, and another process shows it too", async () => {
  const queries = TASKS.slice(0, 12).map(({ search }) => search);
  await using server = await startModelServer([
    ...queries.map(search),
    { calls: [{ id: "risky", name: "risky", arguments: "{}" }] },
    { text: "Done." },
  ]);
  vi.stubEnv("OPENAI_BASE_URL", `${server.url}/v1`);
  await using store = memoryStore();
  const options = {
    ...{ model: "openai/scripted", id: "a", store, policy: ["ask risky"] },
    ...{ tools: [...standardTools(), stubTool("risky").tool, ...tools] },
    approver: async () => "later" as const,
  };
  const agent = await createAgent(options);
  expect(await lastOf(agent.run("Do all of it."))).toMatchObject({ reason: "waiting" });
  const steps = definitionsOf(server);
  expect(steps).toHaveLength(queries.length + 1);
  let left = 0;
  for (const [index, definitions] of steps.entries()) {
    expect(bytesOf(definitions)).toBeLessThanOrEqual(MOST_BYTES);
    const before = namesOf(steps[index - 1] ?? []);
    const kept = before.filter((name) => namesOf(definitions).includes(name));
    if (kept.length < before.length) left += 1;
    // What is still shown keeps its place, and what is new comes after it.
    expect(namesOf(definitions).slice(0, kept.length)).toEqual(kept);
  }
  expect(namesOf(steps[1] ?? []).length).toBeGreaterThan(namesOf(steps[0] ?? []).length);
  // Twelve searches are more than fits: some of what was found first had to go.
  expect(left).toBeGreaterThan(0);
  await agent.leave();
  for (const { request } of await store.waiting()) await store.answer(request, { verdict: "once" });
  await using later = await createAgent(options);
  expect(await lastOf(later.resume())).toMatchObject({ reason: "done" });
  const resumed = definitionsOf(server).at(-1) ?? [];
  expect(bytesOf(resumed)).toBeLessThanOrEqual(MOST_BYTES);
  expect(namesOf(resumed).length).toBeGreaterThan(namesOf(steps[0] ?? []).length);
});

test("a tool that is not shown can be called by its name, and a tool that is found again is shown again", async () => {
  const query = "select:neon__listProjects";
  const others = TASKS.slice(0, 12).map(({ search }) => search);
  await using server = await startModelServer([
    ...[query, ...others].map(search),
    { calls: [{ id: "list", name: "neon__listProjects", arguments: "{}" }] },
    search(query),
    { text: "Done." },
  ]);
  vi.stubEnv("OPENAI_BASE_URL", `${server.url}/v1`);
  await using agent = await createAgent({
    ...{ model: "openai/scripted", registry, policy: ["deny net.fetch"] },
  });
  const results: unknown[] = [];
  for await (const event of agent.run("Do all of it."))
    if (event.type === "result") results.push(event.result);
  expect(results.at(-2)).toMatchObject({ toolName: "neon__listProjects", failure: { code: "denied" } });
  const isShown = definitionsOf(server).map((definitions) =>
    namesOf(definitions).includes("neon__listProjects"),
  );
  expect([isShown[0], isShown[1], isShown.at(-2), isShown.at(-1)]).toEqual([false, true, false, true]);
});

test("the prompt says how many tools are not shown, and where they come from", async () => {
  await using server = await startModelServer([{ text: "Done." }]);
  vi.stubEnv("ANTHROPIC_BASE_URL", `${server.url}/v1`);
  await using agent = await createAgent({ model: "anthropic/scripted", registry });
  await Array.fromAsync(agent.run("Hi."));
  const body = server.requests[0]?.body;
  const hidden = registry.list().length - (definitionsOf(server)[0] ?? []).length;
  expect(hidden).toBe(COUNT);
  expect(JSON.stringify(body?.["system"])).toContain(`There are ${hidden} more tools`);
});

test("your own tools are shown while they fit, and those you name always", async () => {
  const described = (name: string) =>
    stubTool(name, () => 1, { description: `Does ${name}. ${"It does a lot. ".repeat(40)}` }).tool;
  const own = Array.from({ length: 30 }, (_, index) => described(`own_${index}`));
  const shownWith = async (options: object, given: readonly Tool[]) => {
    await using server = await startModelServer([{ text: "Done." }]);
    vi.stubEnv("ANTHROPIC_BASE_URL", `${server.url}/v1`);
    const all = [...standardTools(), ...given];
    await using agent = await createAgent({ model: "anthropic/scripted", tools: all, ...options });
    await Array.fromAsync(agent.run("Hi."));
    return namesOf(definitionsOf(server)[0] ?? []);
  };
  const standard = standardTools().map(({ name }) => name);
  expect(await shownWith({}, own.slice(0, 2))).toEqual([...standard, "own_0", "own_1"]);
  expect(await shownWith({}, own)).toEqual(standard);
  expect(await shownWith({ deferTools: { always: ["own_7"] } }, own)).toEqual([...standard, "own_7"]);
  expect(await shownWith({ deferTools: { above: Number.POSITIVE_INFINITY } }, own)).toHaveLength(43);
  await expect(shownWith({ deferTools: { abov: 1 } }, own)).rejects.toThrow('Did you mean "above"?');
  await expect(shownWith({ deferTools: { above: -1 } }, own)).rejects.toThrow("number of bytes");
});

test("without tool_search every tool is shown", async () => {
  await using server = await startModelServer([{ text: "Done." }]);
  vi.stubEnv("ANTHROPIC_BASE_URL", `${server.url}/v1`);
  await using agent = await createAgent({ model: "anthropic/scripted", tools: tools.slice(0, 200) });
  await Array.fromAsync(agent.run("Hi."));
  expect(definitionsOf(server)[0]).toHaveLength(200);
});

async function lastOf<Event>(events: AsyncIterable<Event>): Promise<Event | undefined> {
  return (await Array.fromAsync(events)).at(-1);
}
