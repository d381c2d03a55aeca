import { createRequire } from "node:module";
import { createSession, ToolkeepError } from "@toolkeep/core";
import { expect, test } from "vitest";
import { openMcpServers } from "./open-mcp-servers.ts";

const { resolve } = createRequire(import.meta.url);
const EVERYTHING = {
  command: process.execPath,
  args: [resolve("@modelcontextprotocol/server-everything/dist/index.js"), "stdio"],
};
const MISSING = { command: "toolkeep-no-such-program" };

test("the tools of a server go into a session with their origin", async () => {
  await using servers = await openMcpServers({ demo: EVERYTHING });
  expect(servers.diagnostics).toEqual([]);
  await using session = await createSession({ tools: servers.tools, policy: ["allow mcp.call"] });
  const result = await session.call("demo_echo", { message: "hello" });
  expect(result).toMatchObject({ ok: true, origin: { source: "mcp", id: "demo" } });
});

test("a server that does not start is an error, and nothing stays behind", async () => {
  await expect(openMcpServers({ gone: MISSING })).rejects.toThrow(
    /The MCP server "gone" is not connected \(waiting\).*toolkeep-no-such-program/,
  );
});

test("a server that does not start is a diagnostic if the host application asks for that", async () => {
  await using servers = await openMcpServers({ servers: { gone: MISSING }, ifUnavailable: "report" });
  expect(servers.tools).toEqual([]);
  expect(servers.diagnostics).toMatchObject([{ code: "server_waiting", server: "gone" }]);
});

test.each([
  [{ servers: {}, setings: {} }, 'Unknown MCP option "setings". Did you mean "settings"?'],
  [{ a: { command: "x", argz: [] } }, 'Unknown option of the MCP server "a": "argz". Did you mean "args"?'],
  [{ a: { url: "https://a.test", env: {} } }, 'Unknown option of the MCP server "a": "env".'],
  [{ a: {} }, 'The MCP server "a" needs a `command` or a `url`.'],
])("%j is refused", async (options, message) => {
  const refused = openMcpServers(options as never);
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.toSatisfy(ToolkeepError.isInstance);
});
