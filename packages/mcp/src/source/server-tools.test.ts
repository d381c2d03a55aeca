import { expect, test } from "vitest";
import { sourceStage } from "./source-stage.test.kit.ts";

const always = { approve: async () => ({ verdict: "once" as const }) };
const script = (folder: string) => ({
  tools: [],
  resources: [
    { uri: "note://one", text: "a note" },
    { uri: `file://${folder}/a.txt`, text: "a file" },
  ],
  prompts: ["greet"],
});

test("resources and prompts are reachable, where a server has them", async () => {
  const { source, server, session, registry, folder } = sourceStage();
  await source.add(await server("s", script(folder)));
  await source.add(await server("none", { tools: [] }));
  expect(registry.list().map(({ name }) => name)).toEqual([
    "s_list_resources",
    "s_read_resource",
    "s_list_prompts",
    "s_get_prompt",
  ]);
  const open = await session({ approver: always, variables: { workspace: [folder] } });
  let calls = 0;
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    JSON.stringify((await open.call({ id: `c${++calls}`, name, arguments: args })).content);
  expect(await call("s_list_resources")).toContain("note://one");
  expect(await call("s_read_resource", { uri: "note://one" })).toContain("a note");
  expect(await call("s_read_resource", { uri: `file://${folder}/a.txt` })).toContain("a file");
  expect(await call("s_list_prompts")).toContain("greet");
  expect(await call("s_get_prompt", { name: "greet", arguments: { who: "you" } })).toContain("greet {");
});

test("the address of a file is evaluated as reading that file", async () => {
  const { source, server, session, folder } = sourceStage();
  await source.add(await server("s", script(folder)));
  const open = await session({ approver: always, variables: { workspace: [folder] } });
  let calls = 0;
  const codeOf = async (uri: string) =>
    (await open.call({ id: `c${++calls}`, name: "s_read_resource", arguments: { uri } })).failure?.code;
  for (const uri of [
    "file:///etc/passwd",
    "FILE:/etc/passwd",
    `file://${folder}/../../etc/passwd`,
    "file://localhost/etc/passwd",
    `file://${folder}/%2e%2e/%2e%2e/etc/passwd`,
  ]) {
    expect([uri, await codeOf(uri)]).toEqual([uri, "out_of_scope"]);
  }
  for (const uri of [
    "file://other.test/etc/passwd",
    `file://${folder}/%252e%252e/x`,
    `file://${folder}/a%00b`,
    "file://",
  ]) {
    expect([uri, await codeOf(uri)]).toEqual([uri, expect.stringMatching(/effects_failed|out_of_scope/)]);
  }
  const denying = await session({
    approver: always,
    variables: { workspace: [folder] },
    policy: [{ permission: "fs.read", pattern: "{workspace}/a.txt", action: "deny" }],
  });
  const result = await denying.call({
    id: "1",
    name: "s_read_resource",
    arguments: { uri: `file://${folder}/a.txt` },
  });
  expect(result.failure?.code).toBe("denied");
});

test("reading asks as `mcp.read` on the server and the address", async () => {
  const { source, server, session, folder } = sourceStage();
  await source.add(await server("s", script(folder)));
  const asked: unknown[] = [];
  const open = await session({
    approver: async ({ effects }) => {
      asked.push(...effects.map(({ capability, target }) => [capability, target]));
      return { verdict: "reject" };
    },
  });
  await open.call({ id: "1", name: "s_read_resource", arguments: { uri: "note://one" } });
  await open.call({ id: "2", name: "s_get_prompt", arguments: { name: "greet" } });
  expect(asked).toEqual([
    ["mcp.read", "s:note://one"],
    ["mcp.read", "s:prompts/greet"],
  ]);
});

test("a server's own tool of such a name takes the place of ours", async () => {
  const { source, server, registry, rewrite, folder } = sourceStage();
  const own = { name: "read_resource", description: "Its own.", inputSchema: { type: "object" } };
  await source.add(await server("s", { ...script(folder), tools: [own] }));
  expect(registry.get("s_read_resource")?.tool.description).toBe("Its own.");
  rewrite("s", script(folder));
  await expect.poll(() => registry.get("s_read_resource")?.tool.description).toContain("Reads a resource");
});
