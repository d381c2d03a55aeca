import { createRequire } from "node:module";
import { dirname, relative } from "node:path";
import { createSession, ToolkeepError } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
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
  await using session = await createSession({ tools: servers.tools, policy: ["allow local.read"] });
  const result = await session.call("demo_echo", { message: "hello" });
  expect(result).toMatchObject({ ok: true, origin: { source: "mcp", id: "demo" } });
});

test("the example of the README works: the server is given the directory of the application", async () => {
  const path = resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
  await using servers = await openMcpServers({ files: { command: process.execPath, args: [path, "."] } });
  await using session = await createSession({
    tools: servers.tools,
    variables: { workspace: [process.cwd()] },
    policy: { mode: "yolo" },
  });
  const list = (path: string) => session.call("files_list_directory", { path }).then(modelText);
  expect(await list(process.cwd())).toContain("[FILE] package.json");
  // What a path of a model is relative to is the server's to decide, so the model is told to say it in full.
  expect(await list(".")).toContain("it is not an absolute path");
});

test("a relative program and working directory are relative to the application", async () => {
  const name = `./${relative(process.cwd(), resolve("@modelcontextprotocol/server-everything/dist/index.js"))}`;
  await using servers = await openMcpServers({
    one: { command: process.execPath, args: [name, "stdio"] },
    two: { command: process.execPath, args: ["index.js", "stdio"], cwd: dirname(name) },
  });
  expect(servers.tools.map(({ name: tool }) => tool)).toEqual(
    expect.arrayContaining(["one_echo", "two_echo"]),
  );
});

test("a server that does not start is an error, and nothing stays behind", async () => {
  await expect(openMcpServers({ gone: MISSING })).rejects.toThrow(
    /The MCP server "gone" is not connected \(waiting\).*toolkeep-no-such-program/,
  );
});

test("a server that does not start is a diagnostic if the host application asks for that", async () => {
  await using servers = await openMcpServers({ servers: { gone: MISSING }, ifUnavailable: "report" });
  expect(servers.tools).toEqual([]);
  expect(servers.diagnostics).toMatchObject([{ code: "server_waiting", subject: "gone" }]);
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
