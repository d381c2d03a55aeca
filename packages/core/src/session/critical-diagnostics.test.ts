import { describe, expect, test } from "vitest";
import { defineTool } from "../contract/tool/define-tool.ts";
import type { Tool } from "../contract/tool/tool.ts";
import type { Layer, Origin } from "../contract/values/origin.ts";
import { createRegistry, type Registry } from "../registry/registry.ts";
import { createSession } from "./create-session.ts";

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

const BROKEN = { inputSchema: { type: "objekt" } };
const from = (layer: Layer): Origin => ({
  layer,
  source: layer === "bundled" ? "bundled" : "folder",
  id: "x",
});

function add(registry: Registry, layer: Layer, one: Tool): void {
  registry.register(one, { origin: from(layer), locked: layer === "bundled" });
}

async function startError(registry: Registry): Promise<string> {
  try {
    await using session = await createSession({ registry });
    return `starts with ${session.tools().map(({ name }) => name)}`;
  } catch (error) {
    return (error as Error).message;
  }
}

describe("[C121] a session does not start with", () => {
  test("an invalid tool that shadows another, whichever came first; nor before it is gone", async () => {
    for (const layers of [["bundled", "project"] as const, ["project", "bundled"] as const]) {
      const registry = createRegistry();
      for (const layer of layers) add(registry, layer, tool("read", layer === "project" ? BROKEN : {}));
      expect(await startError(registry)).toMatch(
        /shadowing: "read" \(project\/folder:x\) \/inputSchema\/type/,
      );
      registry.unregister("read", from("project"));
      expect(await startError(registry)).toBe("starts with read");
    }
  });

  test("a tool that could be taken for a standard one, or that has its name with other parameters", async () => {
    const registry = createRegistry();
    add(registry, "bundled", tool("read"));
    add(registry, "project", tool("Re_ad"));
    add(registry, "user", tool("read", { inputSchema: { type: "object", required: ["x"] } }));
    const message = await startError(registry);
    expect(message).toMatch(/shadowing: "Re_ad"/);
    expect(message).toMatch(/shadowing: "read" \(user\/folder:x\)/);
  });

  test("two tools of one layer that want the same name", async () => {
    const registry = createRegistry();
    registry.register(tool("a"));
    registry.register(tool("a"), { origin: { layer: "code", source: "openapi" } });
    expect(await startError(registry)).toMatch(/shadowing: "a" \(code\/openapi\) \/name/);
  });

  test("a tool that requires what cannot be told, until it is replaced by one that can", async () => {
    const registry = createRegistry();
    registry.register(tool("typo", { requires: { fs: { read: ["{workspce}/**"] } } }));
    expect(await startError(registry)).toMatch(/requirements: "typo" .*\{workspce\}/);
    registry.register(tool("typo"));
    expect(await startError(registry)).toBe("starts with typo");
  });

  test("an error in the policy; one message names all errors, of every category", async () => {
    const registry = createRegistry();
    registry.register(tool("typo", { requires: { fs: { read: ["{workspce}/**"] } } }));
    registry.report(registry, [
      { code: "tool_not_trusted", file: "tools/x.ts", message: "Everyone may write." },
    ]);
    const policy = ["deny fs.read /a", "alow fs.read /b", "deny net.fetch http://c"];
    const failing = createSession({ registry, policy });
    await expect(failing).rejects.toThrow(/typo[\s\S]*trust: "" \(tools\/x.ts\)[\s\S]*alow[\s\S]*http:\/\/c/);
    const rules = ["/a", "b", "c"].map(
      (pattern) => ({ action: "deny", permission: "fs.read", pattern }) as const,
    );
    await expect(createSession({ policy: { rules } })).rejects.toThrow(/"b"[\s\S]*"c"/);
    const tools = [tool("a", BROKEN), tool("good"), tool("b", BROKEN)];
    await expect(createSession({ tools })).rejects.toThrow(/"a"[\s\S]*"b"/);
  });

  test("a tool that shadows another and is not made for this core", async () => {
    const registry = createRegistry();
    add(registry, "user", tool("lint"));
    add(registry, "project", tool("lint", { requiredCoreVersion: ">=99" }));
    expect(await startError(registry)).toMatch(
      /shadowing: "lint" \(project\/folder:x\) \/requiredCoreVersion/,
    );
  });
});

describe("[C121][C22] a session starts, and the tool is off with a diagnostic, for", () => {
  test("any error of a tool that shadows no other", async () => {
    const registry = createRegistry();
    add(registry, "project", tool("mine", BROKEN));
    add(registry, "user", tool("other", { requiredCoreVersion: ">=99" }));
    add(registry, "user", tool("good"));
    await using session = await createSession({ registry });
    expect(session.tools().map(({ name }) => name)).toEqual(["good"]);
    expect(session.diagnostics.map(({ code }) => code)).toEqual(["invalid_schema", "unsupported_version"]);
    expect(registry.critical).toEqual([]);
  });

  test("a tool that is switched off, and one whose `init` fails, although they shadow another", async () => {
    const registry = createRegistry({ config: { off: { enabled: false } } });
    const fail = () => {
      throw new Error("no");
    };
    add(registry, "user", tool("off"));
    for (const name of ["init", "off"]) add(registry, "project", tool(name, { init: fail }));
    add(registry, "user", tool("init"));
    expect(await startError(registry)).toBe("starts with init");
  });
});
