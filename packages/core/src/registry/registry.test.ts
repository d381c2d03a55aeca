import { describe, expect, test } from "vitest";
import { defineTool } from "../contract/tool/define-tool.ts";
import type { Tool } from "../contract/tool/tool.ts";
import type { Layer, Origin } from "../contract/values/origin.ts";
import { describeContract } from "./describe-contract.ts";
import { createRegistry, Registry } from "./registry.ts";

function tool(name: string, more: Partial<Tool> = {}): Tool {
  return defineTool({
    name,
    description: `${name} does something.`,
    requires: {},
    execute: () => name,
    ...(more as object),
    inputSchema: more.inputSchema ?? { type: "object" },
  }) as Tool;
}

const from = (layer: Layer, id?: string): Origin =>
  id === undefined ? { layer, source: "folder" } : { layer, source: "folder", id };

describe("names and layers", () => {
  test("[C17] tools are registered, got, listed, unregistered and cleared; registries are independent", () => {
    const registry = createRegistry();
    const other = new Registry();
    registry.register(tool("a"));
    registry.register(tool("b"));
    expect(registry.get("a")?.tool.name).toBe("a");
    expect(registry.list().map(({ name }) => name)).toEqual(["a", "b"]);
    expect(registry.unregister("a")).toBe(true);
    expect(registry.unregister("a")).toBe(false);
    expect(registry.get("a")).toBeUndefined();
    registry.clear();
    expect(registry.list()).toEqual([]);
    expect(other.list()).toEqual([]);
  });

  test("a later layer shadows an earlier one by name, whichever came first, and gives it back", () => {
    const registry = createRegistry();
    registry.register(tool("a"), { origin: from("project") });
    registry.register(tool("a"), { origin: { layer: "bundled", source: "bundled" } });
    registry.register(tool("a"), { origin: from("user") });
    expect(registry.get("a")?.origin.layer).toBe("project");
    registry.unregister("a");
    expect(registry.get("a")?.origin.layer).toBe("user");
    registry.unregister("a", from("user"));
    expect(registry.get("a")?.origin.layer).toBe("bundled");
  });

  test("[C19] inspection shows where each tool came from and what it hides; the contract does not", () => {
    const registry = createRegistry();
    registry.register(tool("a"), { origin: from("user", "a.ts") });
    registry.register(tool("a"), { origin: from("project", "a.ts") });
    expect(registry.inspect()).toEqual([
      { name: "a", origin: from("project", "a.ts"), shadows: [from("user", "a.ts")] },
    ]);
    expect(JSON.stringify(describeContract(tool("a")))).not.toContain("origin");
  });

  test("[C120] where files with tools are looked for, and what they must be, is part of the contract", () => {
    const { discoveryRules } = describeContract(tool("a"));
    expect(discoveryRules).toMatchObject({
      folders: [{ layer: "user" }, { layer: "project", path: ".toolkeep/tools" }],
      extensions: [".ts", ".mts", ".js", ".mjs"],
      skipped: { beginnings: ["_", "."] },
    });
    expect(JSON.parse(JSON.stringify(discoveryRules))).toEqual(discoveryRules);
  });

  test("[C20] there is no order among tools but that of registration", () => {
    const registry = createRegistry();
    for (const name of ["c", "a", "b"]) registry.register(tool(name));
    expect(registry.list().map(({ name }) => name)).toEqual(["c", "a", "b"]);
    expect(Object.keys(describeContract(tool("a"))).filter((field) => /order/i.test(field))).toEqual([]);
  });

  test("the same name twice in one layer is a diagnostic, and the first stays", () => {
    const registry = createRegistry();
    registry.register(tool("a", { label: "first" }));
    expect(registry.register(tool("a", { label: "second" }))).toMatchObject({
      code: "name_taken",
      subject: "a",
    });
    expect(registry.get("a")?.tool.label).toBe("first");
  });

  test("a locked name may be bound to another tool only with the same parameters", () => {
    const shape = { type: "object", properties: { path: { type: "string", description: "where" } } };
    const richer = { type: "object", properties: { path: { type: "string" }, mode: { type: "string" } } };
    const registry = createRegistry();
    registry.register(tool("read", { inputSchema: richer }), { origin: from("project") });
    expect(
      registry.register(tool("read", { inputSchema: shape }), {
        origin: { layer: "bundled", source: "bundled" },
        locked: true,
      }),
    ).toMatchObject({ code: "name_locked", origin: from("project") });
    expect(registry.get("read")?.origin.layer).toBe("bundled");
    const reworded = { type: "object", properties: { path: { type: "string", description: "other words" } } };
    expect(
      registry.register(tool("read", { inputSchema: reworded }), { origin: from("user") }),
    ).toBeUndefined();
    expect(registry.get("read")?.origin.layer).toBe("user");
  });

  const named = (name: string): Tool => ({ ...tool("x"), name });

  test.each(["read ", "r\u0435ad", "read\u200b", "x\u001b[2Jy", "", "a".repeat(129), "web_fetch\n"])(
    "a name such as %j is a diagnostic, wherever it comes from",
    (name) => {
      const registry = createRegistry();
      const origin: Origin = { layer: "project", source: "mcp", id: "srv" };
      expect(registry.register(named(name), { origin })).toMatchObject({
        code: "invalid_name",
        path: "/name",
      });
      expect(registry.register(named("files.read"), { origin })).toBeUndefined();
      expect(registry.list().map((one) => one.name)).toEqual(["files.read"]);
    },
  );

  test("a name that could be taken for a locked one is refused, whichever came first", () => {
    const registry = createRegistry();
    const origin = from("project");
    const bundled: Origin = { layer: "bundled", source: "bundled" };
    expect(registry.register(named("Web-Fetch"), { origin })).toBeUndefined();
    expect(registry.register(tool("web_fetch"), { origin: bundled, locked: true })).toMatchObject({
      code: "name_locked",
      subject: "Web-Fetch",
      origin,
    });
    for (const name of ["webfetch", "web.fetch", "WEB_FETCH"])
      expect(registry.register(named(name), { origin })).toMatchObject({
        code: "name_locked",
        path: "/name",
      });
    expect(registry.register(named("web_fetch_all"), { origin })).toBeUndefined();
    expect(registry.list().map(({ name }) => name)).toEqual(["web_fetch", "web_fetch_all"]);
    registry.unregister("web_fetch", bundled);
    expect(registry.register(named("webfetch"), { origin })).toBeUndefined();
  });

  test("[C9] any number of tools is loaded, and every one of them is active", () => {
    const registry = createRegistry();
    for (let index = 0; index < 100_000; index += 1) registry.register(tool(`t${index}`));
    expect(registry.list()).toHaveLength(100_000);
    expect(registry.get("t99999")?.name).toBe("t99999");
    expect(describeContract(tool("a"))).toMatchObject({
      loadedCardinality: "unlimited",
      activeCardinality: "unlimited",
    });
  });
});

describe("fitness", () => {
  test("[C7] a tool carries kind, contract version and the cores it works with; one that does not fit is disabled", async () => {
    expect(describeContract(tool("a"))).toMatchObject({
      kind: "Tool",
      contractVersion: "1.0.0",
      requiredCoreVersion: "*",
    });
    const registry = createRegistry();
    expect(registry.register(tool("old", { contractVersion: "2.0.0" }))).toMatchObject({
      code: "unsupported_version",
    });
    registry.register(tool("future", { requiredCoreVersion: ">=99" }));
    registry.register(tool("fine", { requiredCoreVersion: ">=0.1 <2" }));
    await registry.prepare();
    expect(registry.list().map(({ name }) => name)).toEqual(["fine"]);
    expect(registry.diagnostics.map(({ subject, path }) => [subject, path])).toEqual([
      ["old", "/contractVersion"],
      ["future", "/requiredCoreVersion"],
    ]);
  });

  test("[C8] configuration always takes enabled and timeoutMs in addition to the tool's own fields", async () => {
    const configSchema = {
      type: "object",
      properties: { depth: { type: "integer", default: 3 } },
      additionalProperties: false,
    };
    const registry = createRegistry({
      config: {
        a: { timeoutMs: 50 },
        off: { enabled: false },
        bad: { depth: "deep" },
        worse: { timeoutMs: -1 },
      },
    });
    registry.register(tool("a", { configSchema }));
    for (const name of ["off", "bad", "worse"]) registry.register(tool(name, { configSchema }));
    await registry.prepare();
    expect(registry.get("a")?.config).toEqual({ depth: 3, timeoutMs: 50 });
    expect(registry.list().map(({ name }) => name)).toEqual(["a"]);
    expect(registry.diagnostics.map(({ message }) => message)).toEqual([
      "Switched off by configuration.",
      '/depth: expected integer, got a string ("deep")',
      "/timeoutMs: must be a number above 0",
    ]);
  });

  test("[C10] local and remote tools share the registry; only an MCP client declares remote ones", () => {
    const registry = createRegistry();
    const remote = tool("github_search", { remote: { serverId: "github", tool: "search" } });
    expect(registry.register(remote, { origin: from("project") })).toMatchObject({ path: "/remote" });
    expect(
      registry.register(remote, { origin: { layer: "user", source: "mcp", id: "github" } }),
    ).toBeUndefined();
    registry.register(tool("local_search"));
    expect(registry.list().map(({ tool: { executor } }) => executor)).toEqual(["remote", "local"]);
  });

  test("[C22] an invalid tool is left out with a diagnostic, and the others stay", () => {
    const registry = createRegistry();
    expect(registry.register({ name: "x" } as Tool)).toMatchObject({ code: "invalid_tool" });
    expect(registry.register(tool("bad", { inputSchema: { type: "objekt" } }))).toMatchObject({
      code: "invalid_schema",
      path: "/inputSchema/type",
    });
    const typo = tool("typo", { requires: { fs: { read: ["{workspce}/**"] } } });
    expect(registry.register(typo)).toMatchObject({ path: "/requires" });
    expect(registry.register(tool("good"))).toBeUndefined();
    expect(registry.list().map(({ name }) => name)).toEqual(["good"]);
    expect("validationSeverity" in describeContract(tool("good"))).toBe(false);
  });
});

describe("lifecycle", () => {
  function lifecycled(log: string[], more: Partial<Tool> = {}): Tool {
    return tool("a", {
      init: () => void log.push("init"),
      activate: () => void log.push("activate"),
      deactivate: () => void log.push("deactivate"),
      dispose: () => void log.push("dispose"),
      ...more,
    });
  }

  test("[C21] init and activate run before the first call; deactivate waits for what is in flight, then dispose", async () => {
    const log: string[] = [];
    const registry = createRegistry();
    registry.register(lifecycled(log));
    await registry.prepare();
    await registry.prepare();
    const turn = registry.view();
    registry.unregister("a");
    expect(registry.get("a")).toBeUndefined();
    expect(turn.get("a")?.name).toBe("a");
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(log).toEqual(["init", "activate"]);
    turn.release();
    await registry.settled();
    expect(log).toEqual(["init", "activate", "deactivate", "dispose"]);
  });

  test("a tool whose init fails is disabled and what it hid is there instead", async () => {
    const registry = createRegistry();
    registry.register(tool("a", { label: "sound" }), { origin: from("user") });
    registry.register(lifecycled([], { init: () => Promise.reject(new Error("no key")) }), {
      origin: from("project"),
    });
    await registry.prepare();
    expect(registry.get("a")?.tool.label).toBe("sound");
    expect(registry.diagnostics).toMatchObject([{ code: "init_failed", message: "no key" }]);
  });

  test("[C23] a reload is seen by the next turn; a running one keeps its tools until it is over", async () => {
    const log: string[] = [];
    const registry = createRegistry();
    registry.register(lifecycled(log, { label: "old" }));
    await registry.prepare();
    const running = registry.view();
    registry.reload(lifecycled(log, { label: "new" }));
    await registry.prepare();
    expect(running.get("a")?.tool.label).toBe("old");
    const next = registry.view();
    expect(next.get("a")?.tool.label).toBe("new");
    expect(log).not.toContain("dispose");
    running.release();
    await registry.settled();
    expect(log).toEqual(["init", "activate", "init", "activate", "deactivate", "dispose"]);
    next.release();
  });

  test("a reload that does not fit leaves the old tool in its place", () => {
    const registry = createRegistry();
    registry.register(tool("a", { label: "old" }));
    expect(registry.reload(tool("a", { inputSchema: { type: "objekt" } }))).toMatchObject({
      code: "invalid_schema",
    });
    expect(registry.get("a")?.tool.label).toBe("old");
  });

  test("remote tools are found under the other names models know them by, which are no registrations", () => {
    const registry = createRegistry();
    const remote = tool("git_hub_search", { remote: { serverId: "git hub", tool: "search" } });
    registry.register(remote, { origin: { layer: "user", source: "mcp", id: "git hub" } });
    for (const alias of ["mcp:git hub:search", "mcp_git_hub_search", "git_hub__search"]) {
      expect(registry.get(alias)?.name).toBe("git_hub_search");
    }
    expect(registry.list()).toHaveLength(1);
    registry.unregister("git_hub_search");
    expect(registry.get("mcp:git hub:search")).toBeUndefined();
  });
});
