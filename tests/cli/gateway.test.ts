import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acceptServers } from "./accept-servers.ts";
import { type CliBench, cliBench, OWN_COMMAND } from "./cli-bench.ts";
import { fakeNpx } from "./fake-npx.ts";
import { type GatewayClient, gatewayClient } from "./gateway-client.ts";

let bench: CliBench;
let env: Readonly<Record<string, string>>;
let open: GatewayClient[];

beforeEach(() => {
  bench = cliBench();
  env = { ...bench.environment, PATH: `${fakeNpx(bench.base)}:${bench.environment.PATH}` };
  open = [];
  bench.write(
    ".mcp.json",
    JSON.stringify({
      mcpServers: {
        files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", bench.project] },
        notes: { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] },
      },
    }),
  );
});
afterEach(async () => {
  await Promise.all(open.map(({ client }) => client.close()));
  bench.remove();
});

async function gateway(...args: readonly string[]): Promise<GatewayClient> {
  const [command, ...first] = OWN_COMMAND;
  const opened = await gatewayClient({
    command,
    args: [...first, "gateway", ...args],
    cwd: bench.project,
    env,
  });
  open.push(opened);
  return opened;
}

const names = async ({ client }: GatewayClient) => (await client.listTools()).tools.map(({ name }) => name);

describe("the gateway", () => {
  test("serves no server of a project before it is accepted, and says what to run", async () => {
    const served = await gateway();
    expect(await names(served)).not.toContain("files_read_text_file");
    expect(served.stderr()).toContain("toolkeep servers accept files");
    const listed = await bench.run(["servers", "--json"], { env });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: "files", status: { state: "awaiting_review" } },
      { name: "notes", status: { state: "awaiting_review" } },
    ]);
  });

  test("exits with 4 without an interactive terminal", async () => {
    const outcome = await bench.run(["servers", "accept", "files"], { env });
    expect(outcome).toMatchObject({ code: 4, stdout: "" });
    expect(outcome.stderr).toContain("server-filesystem");
  });

  test("governs the tools of accepted servers", async () => {
    expect(await bench.run(["servers", "accept", "files", "--yes"], { env })).toMatchObject({ code: 0 });
    bench.write("src/a.txt", "hello");
    const served = await gateway("--server", "files");
    expect(await names(served)).toContain("files_write_file");
    const read = await served.call("files_read_text_file", { path: join(bench.project, "src/a.txt") });
    expect(read).toMatchObject({ isError: false, text: expect.stringContaining("hello") });
    const git = join(bench.project, ".git/config");
    const denied = await served.call("files_write_file", { path: git, content: "x" });
    expect(denied).toMatchObject({
      isError: true,
      text: expect.stringContaining("Only git may change files"),
    });
    expect(existsSync(git)).toBe(false);
  });

  test("wraps one server under its own tool names", async () => {
    await acceptServers(bench, ["files"]);
    const served = await gateway("--wrap", "files");
    expect(await names(served)).toContain("write_file");
    expect(await names(served)).not.toContain("files_write_file");
  });

  test("--allow permits single tools without asking, but no denied call", async () => {
    await acceptServers(bench, ["notes"]);
    const served = await gateway("--server", "notes", "--allow", "mcp:notes:create_entities");
    const entity = { name: "a", entityType: "b", observations: ["c"] };
    const made = await served.call("notes_create_entities", { entities: [entity] });
    expect(made.isError).toBe(false);
    expect(made.structured).not.toMatchObject({ status: "pending" });
  });
});
