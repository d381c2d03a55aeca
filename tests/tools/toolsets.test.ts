import { createRegistry, createSession, defineTool, type RequirementSet, type Tool } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { expect, test } from "vitest";
import { type StandardToolOptions, standardTools } from "../../packages/tools/src/toolsets.ts";
import { tavilySearch } from "../../packages/tools/src/web/tavily-search.ts";
import { ALLOW } from "../scenario.ts";

const webSearch: StandardToolOptions["webSearch"] = { providers: [tavilySearch()] };
const THIRTEEN = [
  ...["read", "write", "edit", "glob", "grep", "bash", "todo", "task", "question"],
  ...["web_search", "web_fetch", "skill", "tool_search"],
];
const standard = () => standardTools({ webSearch });
const namesOf = (tools: readonly Tool[]) => tools.map(({ name }) => name);

test("[C45] the standard tools are thirteen, under the names that models know", () => {
  expect(namesOf(standard())).toEqual(THIRTEEN);
});

test("[C59] the default set has six tools for files, and the minimal set four", () => {
  expect(namesOf(standardTools({ set: "default" }))).toEqual([
    "bash",
    "read",
    "write",
    "edit",
    "list",
    "search",
  ]);
  expect(namesOf(standardTools({ set: "minimal" }))).toEqual(["read", "write", "edit", "bash"]);
});

test("commands in the background are an addition to any set", () => {
  const added = ["bash_start", "bash_output", "bash_stop"];
  expect(namesOf(standardTools({ background: true }))).toEqual([...THIRTEEN, ...added]);
  expect(namesOf(standardTools({ set: "minimal", background: true })).slice(4)).toEqual(added);
});

test("a set that does not exist is refused", () => {
  const set = "tiny" as "minimal";
  expect(() => standardTools({ set })).toThrow(
    "`set` is one of standard, default, minimal, agentool; it was tiny.",
  );
});

test("[C46] each standard tool declares what it needs and no more", () => {
  const needs = Object.fromEntries(standard().map(({ name, requires }) => [name, needed(requires)]));
  expect(needs).toEqual({
    ...{ read: ["fs.read"], write: ["fs.write"], edit: ["fs.read", "fs.write"] },
    ...{ glob: ["fs.read"], grep: ["fs.read"] },
    // The sandbox of a command opens these files, and the hosts that were allowed for the call.
    bash: [
      "fs.read",
      "fs.write",
      "net.fetch",
      "shell.run",
      "shell.dynamic",
      "git.push",
      "git.commit",
      "git.read",
      ...["package.publish", "package.install", "package.run"],
    ],
    ...{ web_search: ["net.fetch", "net.search"], web_fetch: ["net.fetch"] },
    ...{ todo: [], task: [], question: [], skill: [], tool_search: [] },
  });
});

test("[C47] a locked name cannot be registered with other parameters, before or after; the same parameters are accepted", () => {
  const registry = createRegistry();
  const early = stubTool("grep").tool;
  registry.register(early, { origin: { layer: "user", source: "folder" } });
  expect(standard().flatMap((tool) => registry.register(tool) ?? [])).toMatchObject([
    { code: "name_locked", subject: "grep" },
  ]);
  for (const tool of standard()) {
    const inputSchema = tool.inputSchema as { readonly properties: object };
    const properties = { ...inputSchema.properties, more: { type: "string" } };
    const richer = defineTool({ ...tool, inputSchema: { ...inputSchema, properties } }) as Tool;
    expect(registry.register(richer)).toMatchObject({ code: "name_locked", path: "/inputSchema" });
    expect(registry.get(tool.name)?.origin.layer).toBe("bundled");
    const same = defineTool({ ...tool, description: "Another one of the same shape." }) as Tool;
    expect(registry.register(same, { origin: { layer: "project", source: "folder" } })).toBeUndefined();
    expect(registry.get(tool.name)?.origin.layer).toBe("project");
  }
});

test("a session takes the standard tools as a plain array, with their origin and their locks", async () => {
  await using session = await createSession({ tools: standard(), policy: ALLOW });
  expect(session.tools().every(({ origin }) => origin.layer === "bundled")).toBe(true);
  const found = await session.call({ id: "c", name: "tool_search", arguments: { query: "select:grep" } });
  expect(found).toMatchObject({ ok: true, data: { tools: [{ name: "grep" }] } });
  await expect(createSession({ tools: [...standard(), stubTool("grep").tool] })).rejects.toThrow("locked");
  await expect(createSession({ tools: [stubTool("grep").tool, ...standard()] })).rejects.toThrow("locked");
});

function needed(requires: RequirementSet | "unknown"): readonly string[] {
  if (requires === "unknown") return ["unknown"];
  return [
    ...(requires.fs?.read === undefined ? [] : ["fs.read"]),
    ...(requires.fs?.write === undefined ? [] : ["fs.write"]),
    ...(requires.net?.hosts === undefined ? [] : ["net.fetch"]),
    ...(requires.shell === undefined ? [] : ["shell"]),
    ...(requires.capabilities ?? []),
  ];
}
