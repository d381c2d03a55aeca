import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { createRegistry, createSession, defineTool, executeTool, toMcpDefinition } from "@toolkeep/core";
import { expect, test } from "vitest";
import { z } from "zod";

test("[C92] a name with `mcp:` reaches the tool of that server, through a real client", async () => {
  const server = new McpServer({ name: "calc", version: "1.0.0" });
  server.registerTool(
    "add",
    { description: "Adds.", inputSchema: z.object({ a: z.number(), b: z.number() }) },
    ({ a, b }) => ({
      content: [{ type: "text", text: String(a + b) }],
    }),
  );
  const client = new Client({ name: "toolkeep", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);

  const registry = createRegistry();
  for (const { name, description = name, inputSchema } of (await client.listTools()).tools) {
    const tool = defineTool({
      name: `calc_${name}`,
      description,
      inputSchema: inputSchema as Record<string, unknown>,
      requires: "unknown",
      remote: { serverId: "calc", tool: name },
      execute: async (args) =>
        (await client.callTool({ name, arguments: args as Record<string, unknown> })).content,
    });
    expect(registry.register(tool, { origin: { layer: "user", source: "mcp", id: "calc" } })).toBeUndefined();
  }
  const session = await createSession({ registry, approver: async () => ({ verdict: "once" }) });
  for (const toolName of ["mcp:calc:add", "mcp_calc_add", "calc__add", "calc_add"]) {
    const dict = await executeTool(session, { toolName, parameters: { a: 2, b: 3 } });
    expect(dict).toMatchObject({ success: true, tool_name: "calc_add", data: [{ type: "text", text: "5" }] });
  }
  const missing = await executeTool(session, { toolName: "mcp:calc:subtract", parameters: {} });
  expect(missing).toMatchObject({ success: false, failure: { code: "not_found" } });
  const unapproved = await createSession({ registry });
  expect(
    await executeTool(unapproved, { toolName: "mcp:calc:add", parameters: { a: 1, b: 1 } }),
  ).toMatchObject({
    failure: { code: "denied" },
  });
  expect(registry.list().map(toMcpDefinition)).toMatchObject([
    { name: "calc_add", inputSchema: { type: "object" } },
  ]);
  await client.close();
  await server.close();
});
