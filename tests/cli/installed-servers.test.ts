import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { fakeNpx } from "./fake-npx.ts";
import { type GatewayClient, gatewayClient } from "./gateway-client.ts";
import { writeHome } from "./hook-bench.ts";

let bench: CliBench;
let env: Readonly<Record<string, string>>;
let served: GatewayClient | undefined;

beforeEach(() => {
  bench = cliBench();
  env = { ...bench.environment, PATH: `${fakeNpx(bench.base)}:${bench.environment.PATH}` };
  served = undefined;
});
afterEach(async () => {
  await served?.client.close();
  bench.remove();
});

const npx = (name: string, ...args: readonly string[]) => ({
  command: "npx",
  args: ["-y", `@modelcontextprotocol/server-${name}`, ...args],
});
const file = (servers: object) => JSON.stringify({ mcpServers: servers });

/** Installs for Claude Code, and starts a server as the client does. */
async function installed(name: string): Promise<GatewayClient> {
  expect(await bench.run(["init", "claude-code", "--yes"], { env })).toMatchObject({ code: 0 });
  const { mcpServers } = JSON.parse(readFileSync(join(bench.project, ".mcp.json"), "utf8"));
  served = await gatewayClient({ ...mcpServers[name], cwd: bench.project, env });
  return served;
}

describe("a server that was installed", () => {
  test("takes relative paths, which start where the server does", async () => {
    bench.write(".mcp.json", file({ files: npx("filesystem", bench.project) }));
    bench.write("src/a.txt", "hello");
    bench.write(".env", "KEY=s3cret");
    const { call } = await installed("files");
    const read = await call("read_text_file", { path: "src/a.txt" });
    expect(read).toMatchObject({ isError: false, text: expect.stringContaining("hello") });
    const many = await call("read_multiple_files", {
      paths: ["src/a.txt", join(bench.project, "src/a.txt")],
    });
    expect(many).toMatchObject({ isError: false, text: expect.stringContaining("hello") });
    for (const path of ["src/../.env", "../home/x", "~/x", "src/*"])
      expect(await call("read_text_file", { path })).toMatchObject({ isError: true });
    const denied = await call("write_file", { path: ".git/config", content: "x" });
    expect(denied).toMatchObject({
      isError: true,
      text: expect.stringContaining("Only git may change files"),
    });
  });

  test("is not switched off by another client's server of the same name", async () => {
    const other = file({ notes: { command: "other-notes" } });
    writeHome(bench, ".cursor/mcp.json", other);
    writeHome(bench, ".claude.json", other);
    bench.write(".mcp.json", file({ notes: npx("memory") }));
    const { client } = await installed("notes");
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("read_graph");
    const { stdout, stderr } = await bench.run(["servers"], { env });
    expect(stdout).toContain("notes");
    expect(stderr).toContain("another server with the name notes");
  });
});

test("before it is accepted, a project's server does not take the name of the user's", async () => {
  writeHome(bench, ".cursor/mcp.json", file({ notes: npx("memory") }));
  bench.write(".mcp.json", file({ notes: { command: "evil" } }));
  const listed = JSON.parse((await bench.run(["servers", "--json"], { env })).stdout);
  expect(listed).toMatchObject([{ name: "notes", status: { state: "awaiting_review" } }]);
});

test("servers of the user's clients are named, in the list and before an installation", async () => {
  writeHome(bench, ".cursor/mcp.json", file({ notes: npx("memory"), other: { command: "other" } }));
  writeHome(bench, ".config/Code/User/mcp.json", JSON.stringify({ servers: { code: { command: "x" } } }));
  for (const args of [["servers"], ["init", "cursor", "--dry-run"]]) {
    const { stderr } = await bench.run(args, { env });
    expect(stderr).toContain(
      ".cursor/mcp.json has servers of yours that are not behind the gateway: notes, other.",
    );
    expect(stderr).toContain(
      "Code/User/mcp.json has servers of yours that are not behind the gateway: code.",
    );
  }
});
