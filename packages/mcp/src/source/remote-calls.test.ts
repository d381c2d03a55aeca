import { createSession, defineTool, executeTool, type ToolResult } from "@toolkeep/core";
import { expandAllowed, mcp } from "@toolkeep/core/formats";
import { scriptedApprover } from "@toolkeep/core/testing";
import { describe, expect, test } from "vitest";
import { sourceStage, until } from "./source-stage.test.kit.ts";

const echo = {
  name: "echo",
  description: "Echoes.",
  inputSchema: { type: "object", properties: { a: { type: "number" } } },
};
const always = { approve: async () => ({ verdict: "once" as const }) };

describe("a tool of a server", () => {
  test("[C92] is reached by every name that models know it by", async () => {
    const { source, server, session } = sourceStage();
    await source.add(await server("calc", { tools: [echo] }));
    const open = await session({ approver: always });
    for (const toolName of ["mcp:calc:echo", "mcp_calc_echo", "calc__echo", "calc_echo"]) {
      const dict = await executeTool(open, { toolName, parameters: { a: 2 } });
      expect(dict).toMatchObject({ success: true, tool_name: "calc_echo" });
    }
    const missing = await executeTool(open, { toolName: "mcp:calc:subtract", parameters: {} });
    expect(missing).toMatchObject({ success: false, failure: { code: "not_found" } });
    expect(open.tools().map(mcp.definition)).toMatchObject([
      { name: "calc_echo", inputSchema: { type: "object" } },
    ]);
  });

  test("[C10][C33] is in the same registry, under the same contract, and lists of allowed tools know its server", async () => {
    const { source, registry, server, session } = sourceStage();
    const local = defineTool({
      name: "local",
      description: "Local.",
      inputSchema: { type: "object" },
      requires: {},
      execute: () => "here",
    });
    registry.register(local);
    await source.add(await server("browser", { tools: [echo] }));
    expect(registry.list().map(({ name, tool }) => [name, tool.executor])).toEqual([
      ["local", "local"],
      ["browser_echo", "remote"],
    ]);
    expect(
      expandAllowed(
        ["browser"],
        registry.list().map(({ name }) => name),
      ),
    ).toEqual(["browser_echo"]);
    const open = await session({ approver: always });
    const result = await open.call({ id: "1", name: "browser_echo", arguments: { a: 1 } });
    expect(result).toMatchObject({
      ok: true,
      origin: { layer: "user", source: "mcp", id: "browser" },
      content: [{ type: "text", text: '{"a":1}' }],
      labels: ["untrusted"],
    });
    expect(await open.call({ id: "2", name: "browser_echo", arguments: { a: "one" } })).toMatchObject({
      failure: { code: "invalid_arguments" },
    });
    expect(
      await open.call({ id: "3", name: "browser_echo", arguments: '{"__proto__":{"a":1}}' }),
    ).toMatchObject({
      ok: false,
    });
  });

  test("[C115] asks as `mcp.call` on itself whatever it says of itself, and `always` means this tool", async () => {
    const { source, server, registry } = sourceStage();
    const harmless = {
      ...echo,
      name: "delete_all",
      annotations: { readOnlyHint: true, idempotentHint: true },
    };
    await source.add(
      await server("s", { tools: [harmless, { ...echo, annotations: { destructiveHint: true } }] }),
    );
    expect(registry.get("s_delete_all")?.tool).toMatchObject({
      mode: "external",
      gated: true,
      idempotent: false,
    });
    expect(registry.get("s_echo")?.tool.mode).toBe("destructive");
    const nothingElse = await createSession({ registry });
    expect(await nothingElse.call({ id: "1", name: "s_delete_all", arguments: {} })).toMatchObject({
      failure: { code: "denied" },
    });
    await nothingElse.close();
    const approver = scriptedApprover([{ verdict: "always" }, { verdict: "reject" }]);
    const session = await createSession({ registry, approver });
    for (const a of [1, 2]) {
      expect(await session.call({ id: `c${a}`, name: "s_delete_all", arguments: { a } })).toMatchObject({
        ok: true,
      });
    }
    expect(await session.call({ id: "other", name: "s_echo", arguments: {} })).toMatchObject({ ok: false });
    expect(approver.requests).toHaveLength(2);
    expect(approver.requests[0]).toMatchObject({
      approvalKey: "s:delete_all",
      effects: [{ capability: "mcp.call", target: "s:delete_all" }],
    });
    await session.close();
  });

  test("with a map does what the map says: rules and scopes hold for its files", async () => {
    const settings = { fs: { map: "filesystem" } };
    const { source, server, session, folder } = sourceStage({ settings });
    const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    await source.add(
      await server("fs", { tools: [{ name: "read_file", description: "Reads.", inputSchema: schema }] }),
    );
    const rules = [{ permission: "fs.read", pattern: "{workspace}/**", action: "allow" as const }];
    const open = await session({ policy: rules, variables: { workspace: [folder] } });
    let calls = 0;
    const read = (path: string) =>
      open.call({ id: `c${++calls}`, name: "fs_read_file", arguments: { path } });
    expect(await read(`${folder}/a.txt`)).toMatchObject({ ok: true });
    expect(await read("/etc/passwd")).toMatchObject({ failure: { code: "out_of_scope" } });
    expect(await read(`${folder}/../../etc/passwd`)).toMatchObject({ ok: false });
    const explained = await open.explain({
      id: "e",
      name: "fs_read_file",
      arguments: { path: `${folder}/a` },
    });
    expect(JSON.stringify(explained)).toContain("mcp.call");
  });
});

describe("what a server answers", () => {
  const blocks = [
    { type: "text", text: "seen" },
    { type: "image", data: "aGk=", mimeType: "image/png" },
    { type: "audio", data: "aGk=", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///etc/passwd", name: "link" },
    { type: "resource", resource: { uri: "x://text", text: "sent along" } },
    { type: "resource", resource: { uri: "x://blob", blob: "aGk=", mimeType: "a/b" } },
  ];

  async function answered(result: Readonly<Record<string, unknown>>, isPrivate = false): Promise<ToolResult> {
    const { source, server, session } = sourceStage({ settings: { s: { isPrivate } } });
    await source.add(await server("s", { tools: [echo], results: { echo: result } }));
    const open = await session({ approver: always });
    return open.call({ id: "1", name: "s_echo", arguments: {} });
  }

  test("is shown as texts and pictures, no link is followed, and all of it is kept as it came", async () => {
    const result = await answered({ content: blocks, structuredContent: { n: 1 }, _meta: { m: 1 } });
    expect(result).toMatchObject({
      ok: true,
      data: { n: 1 },
      content: [
        { type: "text", text: "seen" },
        { type: "image", data: "aGk=", mimeType: "image/png" },
        { type: "text", text: "[audio audio/wav, 2 bytes, not shown]" },
        { type: "text", text: "[resource link file:///etc/passwd not followed]" },
        { type: "text", text: "[resource x://text]\nsent along" },
        { type: "text", text: "[resource x://blob: a/b, 2 bytes, not shown]" },
      ],
      details: {
        mcp: { content: blocks, structuredContent: { n: 1 }, _meta: expect.objectContaining({ m: 1 }) },
      },
    });
  });

  test("is a failure where the server says so, with its words", async () => {
    expect(
      await answered({ isError: true, content: [{ type: "text", text: "No such city." }] }),
    ).toMatchObject({
      ok: false,
      failure: { code: "tool_failed", message: "No such city." },
      details: { mcp: { content: [{ type: "text", text: "No such city." }] } },
    });
    expect(await answered({ isError: true, content: [] })).toMatchObject({
      failure: { message: expect.stringContaining("without saying why") },
    });
  });

  test("is bounded, counted, and private where the settings say so", async () => {
    const text = "x".repeat(300_000);
    const result = await answered({ content: [{ type: "text", text }], _meta: { m: 1 } }, true);
    expect(result.truncation).toMatchObject({ by: "runtime", unit: "bytes" });
    expect((result.truncation?.kept ?? 0) + (result.truncation?.lost ?? 0)).toBe(300_000);
    expect(result.labels).toEqual(["untrusted", "private"]);
    expect(JSON.stringify(result).length).toBeLessThan(250_000);
  });
});

test("a call while the server is away fails, says since when, and the tools stay", async () => {
  const { source, program, registry, session } = sourceStage();
  await source.add(await program("p", { tools: [echo, { ...echo, name: "die" }] }));
  const open = await session({ approver: always });
  expect(await open.call({ id: "1", name: "p_die", arguments: {} })).toMatchObject({ ok: false });
  await until(() => source.servers[0]?.status.state === "waiting");
  const result = await open.call({ id: "2", name: "p_echo", arguments: {} });
  expect(result.failure).toMatchObject({
    code: "unavailable",
    hint: expect.stringMatching(/next attempt is at 20\d\d-/),
  });
  expect(result.failure?.message).toMatch(/since 20\d\d-/);
  expect(registry.list().map(({ name }) => name)).toEqual(["p_echo", "p_die"]);
  await until(() => source.servers[0]?.status.state === "ready");
  expect(await open.call({ id: "3", name: "p_echo", arguments: {} })).toMatchObject({ ok: true });
});
