import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

const SERVER = { command: "first-server", args: ["--stdio"] };
const ADDED = { command: "second-server", env: { TOKEN: "very-secret" } };

type Servers = { mcpServers: Record<string, unknown> };
const servers = (path: string): Servers => JSON.parse(readFileSync(join(bench.project, path), "utf8"));
const writeServers = (all: Record<string, unknown>) =>
  bench.write(".mcp.json", `${JSON.stringify({ mcpServers: all }, undefined, 2)}\n`);
const run = async (...args: readonly string[]) => {
  const outcome = await bench.runHere([...args, "--yes"]);
  expect(outcome.code, outcome.stderr).toBe(0);
  return outcome;
};

/** Adds a server and changes nothing else. */
function addServer() {
  const { mcpServers } = servers(".mcp.json");
  writeServers({ ...mcpServers, second: ADDED });
}

test("a server that was added later is reported, and a second install moves it behind the gateway", async () => {
  writeServers({ first: SERVER });
  await run("init", "claude-code");
  addServer();
  const listed = await bench.runHere(["servers"]);
  expect(listed.stderr).toContain("second in .mcp.json is not behind the gateway");

  const again = await run("init", "claude-code");
  expect(again.stderr).toContain("second-server");
  expect(again.stderr).not.toContain("very-secret");
  expect(servers(".toolkeep/mcp.json").mcpServers).toEqual({ first: SERVER, second: ADDED });
  expect(JSON.stringify(servers(".mcp.json"))).not.toContain("second-server");
  expect((await bench.runHere(["servers"])).stderr).not.toContain("not behind the gateway");
  expect((await bench.runHere(["init", "claude-code"])).stdout).toContain(
    "is installed for claude-code already",
  );

  await run("uninstall", "claude-code");
  expect(servers(".mcp.json").mcpServers).toEqual({ first: SERVER, second: ADDED });
  expect(existsSync(join(bench.project, ".toolkeep"))).toBe(false);
  expect(existsSync(join(bench.project, ".claude"))).toBe(false);
});

test("install does not overwrite edited entries of ours", async () => {
  writeServers({ first: SERVER });
  await run("init", "claude-code");
  const { mcpServers } = servers(".mcp.json");
  writeServers({
    first: { ...(mcpServers["first"] as object), env: { NODE_OPTIONS: "--x" } },
    second: ADDED,
  });
  const before = snapshotOf(bench.project);
  const outcome = await bench.runHere(["init", "claude-code", "--yes"]);
  expect(outcome).toMatchObject({ code: 1, stdout: "" });
  expect(outcome.stderr).toContain("its entries were edited since");
  expect(snapshotOf(bench.project)).toEqual(before);
});

test("ignored servers stay out of version control as long as a client needs them", async () => {
  bench.write(".gitignore", ".mcp.json\n.cursor/\n");
  writeServers({ first: SERVER });
  bench.write(".cursor/mcp.json", `${JSON.stringify({ mcpServers: { first: SERVER } })}\n`);
  const before = snapshotOf(bench.project);
  const ignored = join(bench.project, ".toolkeep/.gitignore");
  await run("init", "claude-code");
  expect(readFileSync(ignored, "utf8")).toBe("mcp.json\n");
  await run("init", "cursor");
  await run("uninstall", "claude-code");
  expect(servers(".toolkeep/mcp.json").mcpServers).toEqual({ first: SERVER });
  expect(readFileSync(ignored, "utf8")).toBe("mcp.json\n");
  await run("uninstall", "cursor");
  expect(snapshotOf(bench.project)).toEqual(before);
});
