import { createRegistry, defineTool, type Registry, type Tool } from "@toolkeep/core";
import {
  createSessionWithPorts as createSession,
  memoryJournal,
  memoryPending,
  type Origin,
} from "@toolkeep/core/internal";
import { toolConformance } from "@toolkeep/core/testing";
import { describe, expect, test } from "vitest";
import { shownTools } from "../../packages/tools/src/tool-search/shown-tools.ts";
import { toolSearchTool } from "../../packages/tools/src/tool-search/tool-search-tool.ts";
import { ALLOW } from "../scenario.ts";

const SERVERS: Readonly<Record<string, readonly (readonly [tool: string, description: string])[]>> = {
  github: [
    ["create_issue", "Opens an issue in a repository."],
    ["list_pull_requests", "Lists pull requests of a repository."],
    ["merge_pull_request", "Merges a pull request."],
  ],
  slack: [
    ["post_message", "Posts a message to a channel."],
    ["list_channels", "Lists the channels of a workspace."],
  ],
  many: Array.from({ length: 30 }, (_, n) => [`get_thing_${n}`, `Gets thing number ${n}.`] as const),
};

function remoteTool(server: string, name: string, description: string): Tool {
  return defineTool({
    name: `${server}_${name}`,
    description,
    inputSchema: {
      type: "object",
      properties: { title: { type: "string", description: `The title for ${name}.` } },
      additionalProperties: false,
    },
    requires: {},
    effects: () => [],
    remote: { serverId: server, tool: name },
    execute: () => `${name} ran`,
  }) as Tool;
}

function originOf(server: string): Origin {
  return { layer: "user", source: "mcp", id: server };
}

function fullRegistry(): Registry {
  const registry = createRegistry();
  registry.register(toolSearchTool());
  registry.register(
    defineTool({
      name: "own",
      description: "A tool of the host application.",
      inputSchema: { type: "object" },
      requires: {},
      execute: () => 1,
    }) as Tool,
  );
  for (const [server, tools] of Object.entries(SERVERS))
    for (const [name, description] of tools)
      expect(
        registry.register(remoteTool(server, name, description), { origin: originOf(server) }),
      ).toBeUndefined();
  return registry;
}

const openSession = (registry = fullRegistry()) => createSession({ registry, policy: ALLOW });

type Session = Awaited<ReturnType<typeof openSession>>;
let calls = 0;

interface Found {
  readonly tools: readonly { name: string; description: string; server?: string; parameters?: object }[];
  readonly missing?: readonly string[];
}

async function search(session: Pick<Session, "call">, args: Record<string, unknown>): Promise<Found> {
  calls += 1;
  const result = await session.call({ id: `s${calls}`, name: "tool_search", arguments: args });
  if (!result.ok) throw new Error(result.failure?.message);
  return result.data as Found;
}

const namesOf = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

describe("tools are found", () => {
  test("by what they do, with what is needed to call them", async () => {
    await using session = await openSession();
    const { tools } = await search(session, { query: "open an issue in a repository", limit: 1 });
    expect(tools).toEqual([
      {
        name: "github_create_issue",
        description: "Opens an issue in a repository.",
        server: "github",
        parameters: {
          type: "object",
          properties: { title: { type: "string", description: "The title for create_issue." } },
          additionalProperties: false,
        },
      },
    ]);
  });

  test("by their server", async () => {
    await using session = await openSession();
    expect(namesOf((await search(session, { query: "slack" })).tools).toSorted()).toEqual([
      "slack_list_channels",
      "slack_post_message",
    ]);
  });

  test("by exact names, in the given order, and missing names are reported", async () => {
    await using session = await openSession();
    const found = await search(session, {
      query: "select: slack_post_message,none , github_create_issue,slack_post_message",
    });
    expect(namesOf(found.tools)).toEqual(["slack_post_message", "github_create_issue"]);
    expect(found.missing).toEqual(["none"]);
  });

  test("at most ten at a time, and five by default", async () => {
    await using session = await openSession();
    expect((await search(session, { query: "get thing number" })).tools).toHaveLength(5);
    expect((await search(session, { query: "get thing number", limit: 10 })).tools).toHaveLength(10);
    const all = namesOf(session.tools()).filter((name) => name.startsWith("many_"));
    expect((await search(session, { query: `select:${all.slice(0, 20).join(",")}` })).tools).toHaveLength(10);
  });

  test("or none, and never the search itself", async () => {
    await using session = await openSession();
    expect((await search(session, { query: "zebra quantum" })).tools).toEqual([]);
    expect((await search(session, { query: "select:tool_search" })).missing).toEqual(["tool_search"]);
    expect(namesOf((await search(session, { query: "finds tools" })).tools)).not.toContain("tool_search");
  });

  test("in their current state: added and changed tools, and no removed ones", async () => {
    const registry = fullRegistry();
    await using session = await openSession(registry);
    expect((await search(session, { query: "weather forecast" })).tools).toEqual([]);
    registry.register(remoteTool("sky", "forecast", "Weather forecast for a city."), {
      origin: originOf("sky"),
    });
    expect(namesOf((await search(session, { query: "weather forecast" })).tools)).toEqual(["sky_forecast"]);
    registry.reload(remoteTool("sky", "forecast", "Tides of the sea."), { origin: originOf("sky") });
    expect(namesOf((await search(session, { query: "tides" })).tools)).toEqual(["sky_forecast"]);
    expect((await search(session, { query: "weather" })).tools).toEqual([]);
    registry.unregister("sky_forecast");
    expect((await search(session, { query: "tides forecast" })).tools).toEqual([]);
  });

  test("with a short description, and without a very long schema", async () => {
    const registry = fullRegistry();
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`field_${n}`, { type: "string" }]),
    );
    const wide = defineTool({
      ...remoteTool("big", "form", "long ".repeat(200)),
      inputSchema: { type: "object", properties },
    });
    registry.register(wide as Tool, { origin: originOf("big") });
    await using session = await openSession(registry);
    const [form] = (await search(session, { query: "select:big_form" })).tools;
    expect(form?.description).toHaveLength(200);
    expect(form).not.toHaveProperty("parameters");
    expect(namesOf((await search(session, { query: "field 17" })).tools)).toContain("big_form");
  });
});

describe("a tool that was found", () => {
  test("[C54] is listed from then on, at the end of the list, and can be called", async () => {
    await using session = await openSession();
    const before = namesOf(await shownTools(session));
    expect(before).toEqual(["tool_search", "own"]);
    await search(session, { query: "post a message to a channel", limit: 1 });
    await search(session, { query: "merge a pull request", limit: 1 });
    await search(session, { query: "post a message to a channel", limit: 1 });
    expect(namesOf(await shownTools(session))).toEqual([
      ...before,
      "slack_post_message",
      "github_merge_pull_request",
    ]);
    const result = await session.call({
      id: "m",
      name: "github_merge_pull_request",
      arguments: { title: "x" },
    });
    expect(result.data).toBe("merge_pull_request ran");
  });

  test("is still listed after a restart", async () => {
    const options = { id: "s1", journal: memoryJournal(), pending: memoryPending(), policy: ALLOW };
    const first = await createSession({ ...options, registry: fullRegistry() });
    await search(first, { query: "select:slack_list_channels" });
    const shown = namesOf(await shownTools(first));
    await using second = await createSession({ ...options, registry: fullRegistry() });
    expect(namesOf(await shownTools(second))).toEqual(shown);
    await search(second, { query: "select:github_create_issue" });
    expect(namesOf(await shownTools(second))).toEqual([...shown, "github_create_issue"]);
  });

  test("is listed in its own session only", async () => {
    const registry = fullRegistry();
    await using one = await openSession(registry);
    await using other = await openSession(registry);
    await search(one, { query: "select:slack_post_message" });
    expect(namesOf(await shownTools(other))).not.toContain("slack_post_message");
  });

  test("is not listed once it is removed", async () => {
    const registry = fullRegistry();
    await using session = await openSession(registry);
    await search(session, { query: "select:slack_post_message" });
    registry.unregister("slack_post_message");
    expect(namesOf(await shownTools(session))).not.toContain("slack_post_message");
  });

  test("is not needed where there are few tools, or no search: all are listed", async () => {
    await using session = await openSession();
    expect(await shownTools(session, { above: 100 })).toHaveLength(session.tools().length);
    const registry = fullRegistry();
    registry.unregister("tool_search");
    await using without = await openSession(registry);
    expect(await shownTools(without)).toHaveLength(without.tools().length);
  });
});

test("tool_search satisfies the tool contract and needs nothing", async () => {
  const tool = toolSearchTool();
  expect(tool.requires).toEqual({});
  const errors = await toolConformance(tool, {
    examples: [{ query: "issue" }, { query: "select:own", limit: 10 }],
    refuses: [{}, { query: "" }, { query: "x", limit: 11 }, { query: "x".repeat(501) }],
  });
  expect(errors).toEqual([]);
});
