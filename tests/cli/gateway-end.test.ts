import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { acceptServers } from "./accept-servers.ts";
import { type CliBench, cliBench, OWN_COMMAND } from "./cli-bench.ts";
import { fakeNpx } from "./fake-npx.ts";
import { descendantsOf, isRunning } from "./processes.ts";

let bench: CliBench;
let env: Readonly<Record<string, string>>;

beforeEach(() => {
  bench = cliBench();
  env = { ...bench.environment, PATH: `${fakeNpx(bench.base)}:${bench.environment.PATH}` };
  const notes = { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] };
  bench.write(".mcp.json", JSON.stringify({ mcpServers: { notes } }));
});
afterEach(() => bench.remove());

test.each(["the end of its input", "SIGTERM", "SIGINT"])(
  "exits on %s, and leaves no process behind",
  async (how) => {
    await acceptServers(bench, ["notes"]);
    const [command, ...first] = OWN_COMMAND;
    const child = spawn(command, [...first, "gateway", "--server", "notes"], { cwd: bench.project, env });
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" })}\n`);
    let stdout = "";
    await new Promise<void>((resolve) => {
      child.stdout.on("data", (chunk: Buffer) => {
        stdout += chunk.toString("utf8");
        if (stdout.includes('"id":2')) resolve();
      });
    });
    const started = descendantsOf(child.pid ?? 0);
    expect(started.length).toBeGreaterThan(0);
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    if (how === "SIGTERM" || how === "SIGINT") child.kill(how);
    else child.stdin.end();
    expect(await ended).toBe({ SIGTERM: 143, SIGINT: 130 }[how] ?? 0);
    await vi.waitFor(() => expect(started.filter(isRunning)).toEqual([]), { timeout: 15_000 });
    for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  },
);

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

test("over HTTP it prints its URL, and only the owner can read its token", async () => {
  const [command, ...first] = OWN_COMMAND;
  const child = spawn(command, [...first, "gateway", "--http", "--json"], { cwd: bench.project, env });
  const line = await new Promise<string>((resolve) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      if (text.includes("}")) resolve(text);
    });
  });
  const { url, tokenFile } = JSON.parse(line) as { url: string; tokenFile: string };
  expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  expect((await fetch(url, { method: "POST", headers, body })).status).toBe(401);
  const token = readFileSync(tokenFile, "utf8").trim();
  const withToken = { ...headers, authorization: `Bearer ${token}` };
  expect((await fetch(url, { method: "POST", headers: withToken, body })).status).not.toBe(401);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  child.kill("SIGTERM");
  expect(await ended).toBe(143);
});
