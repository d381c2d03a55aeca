import { createRegistry, defineTool, type RequirementSet, type Tool } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { expect, test } from "vitest";
import {
  defaultTools,
  minimalTools,
  registerStandardTools,
  type StandardToolOptions,
  standardTools,
} from "../../packages/tools/src/toolsets.ts";
import { tavilySearch } from "../../packages/tools/src/web/tavily-search.ts";

const webSearch: StandardToolOptions["webSearch"] = { providers: [tavilySearch()] };
const THIRTEEN = [
  ...["read", "write", "edit", "glob", "grep", "bash", "todo", "task", "question"],
  ...["web_search", "web_fetch", "skill", "tool_search"],
];
const locked = () => standardTools({ tools: createRegistry(), webSearch });
const namesOf = (tools: readonly Tool[]) => tools.map(({ name }) => name);

test("[C45] the thirteen come along, under the names that models have learned", () => {
  expect(namesOf(locked())).toEqual(THIRTEEN);
});

test("[C59] six are given to work on files with, and four of them are the fewest", () => {
  expect(namesOf(defaultTools())).toEqual(["bash", "read", "write", "edit", "list", "search"]);
  expect(namesOf(minimalTools())).toEqual(["read", "write", "edit", "bash"]);
});

test("[C46] each of the thirteen declares what it needs and no more", () => {
  const needs = Object.fromEntries(locked().map(({ name, requires }) => [name, needed(requires)]));
  expect(needs).toEqual({
    ...{ read: ["fs.read"], write: ["fs.write"], edit: ["fs.read", "fs.write"] },
    ...{ glob: ["fs.read"], grep: ["fs.read"] },
    // Its files are what the walls around a command leave open.
    bash: [
      "fs.read",
      "fs.write",
      "shell.run",
      "shell.dynamic",
      "git.push",
      "git.commit",
      "git.read",
      "package.publish",
    ],
    ...{ web_search: ["net.fetch"], web_fetch: ["net.fetch"] },
    ...{ todo: [], task: [], question: [], skill: [], tool_search: [] },
  });
});

test("[C47] nobody registers a locked name with a richer shape, before or after; the same shape may stand in", () => {
  const registry = createRegistry();
  const early = stubTool("grep").tool;
  registry.register(early, { origin: { layer: "user", source: "folder" } });
  expect(registerStandardTools(registry, { webSearch })).toMatchObject([{ stage: "lock", toolName: "grep" }]);
  for (const tool of locked()) {
    const inputSchema = tool.inputSchema as { readonly properties: object };
    const properties = { ...inputSchema.properties, more: { type: "string" } };
    const richer = defineTool({ ...tool, inputSchema: { ...inputSchema, properties } }) as Tool;
    expect(registry.register(richer)).toMatchObject({ stage: "lock", path: "/inputSchema" });
    expect(registry.get(tool.name)?.origin.layer).toBe("bundled");
    const same = defineTool({ ...tool, description: "Another one of the same shape." }) as Tool;
    expect(registry.register(same, { origin: { layer: "project", source: "folder" } })).toBeUndefined();
    expect(registry.get(tool.name)?.origin.layer).toBe("project");
  }
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
