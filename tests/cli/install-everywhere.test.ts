import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { INSTALL_CLIENTS, type InstallClientName } from "../../packages/cli/src/clients/install-client.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { writeHome } from "./hook-bench.ts";
import { snapshotOf } from "./snapshot.ts";

/** A server of each kind that a file of a project may name. */
const SERVERS = {
  plain: { command: "false", args: ["plain"] },
  shared: { command: "false", args: ["the project's"] },
  off: { command: "false", disabled: true },
  fromFile: { command: "false", envFile: ".env" },
};
/** Those of the user: one has the name of a server of the project. */
const OWN = { shared: { command: "false", args: ["the user's"] }, mine: { command: "false" } };

const text = (key: string, servers: object = SERVERS) =>
  `${JSON.stringify({ [key]: servers }, undefined, "\t")}\n`;

/** The files that a team has in its repository. */
const TRACKED: Readonly<Record<string, string>> = {
  ".mcp.json": text("mcpServers"),
  ".claude/settings.json": '{ "permissions": { "deny": ["Read(./x)"] } }',
  ".cursor/mcp.json": text("mcpServers"),
  ".vscode/mcp.json": text("servers"),
  ".codex/config.toml": '[mcp_servers.plain]\ncommand = "false"\n',
  ".github/mcp.json": text("mcpServers"),
  "opencode.json": text("mcp"),
};

const OF_USER: Readonly<Record<string, string>> = {
  ".claude.json": text("mcpServers", OWN),
  ".cursor/mcp.json": text("mcpServers", OWN),
  ".config/Code/User/mcp.json": text("servers", OWN),
  ".codex/config.toml": '[mcp_servers.mine]\ncommand = "false"\n',
  ".copilot/mcp-config.json": text("mcpServers", OWN),
  ".config/opencode/opencode.json": text("mcp", OWN),
};

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  rmSync(join(bench.project, ".git"), { recursive: true });
  git("init", "-q");
  for (const [path, content] of Object.entries(OF_USER)) writeHome(bench, path, content);
});
afterEach(() => bench.remove());

function git(...args: readonly string[]): string {
  const as = ["--no-optional-locks", "-c", "user.name=a", "-c", "user.email=a@example.com"];
  const env = { PATH: bench.environment.PATH, HOME: bench.home };
  return execFileSync("git", [...as, ...args], { cwd: bench.project, env, encoding: "utf8" });
}

function written(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) bench.write(path, content);
}

function committed(files: Readonly<Record<string, string>>): void {
  written(files);
  git("add", "-A");
  git("commit", "-qm", "x");
}

const run = async (...args: readonly string[]) => {
  const outcome = await bench.runHere([...args, "--yes"]);
  expect(outcome.code, outcome.stderr).toBe(0);
  return outcome;
};
const both = () => [snapshotOf(bench.project), snapshotOf(bench.home)];
const json = (path: string) => JSON.parse(readFileSync(join(bench.project, path), "utf8"));

const SERVER_FILES: Partial<Record<InstallClientName, readonly [file: string, key: string]>> = {
  "claude-code": [".mcp.json", "mcpServers"],
  cursor: [".cursor/mcp.json", "mcpServers"],
  vscode: [".vscode/mcp.json", "servers"],
};

describe.each(INSTALL_CLIENTS)("%s, with servers of every kind", (client) => {
  test.each([
    ["a wrapper for each", []],
    ["one entry for all", ["--single"]],
  ])("is installed and uninstalled byte for byte, with %s", async (_, options) => {
    written(TRACKED);
    const before = both();
    const { stderr } = await run("init", client, ...options);
    expect(both()).not.toEqual(before);
    const [file, key] = SERVER_FILES[client] ?? [];
    if (file !== undefined && key !== undefined) {
      const { off, fromFile } = json(file)[key];
      expect({ off, fromFile }).toEqual({ off: SERVERS.off, fromFile: SERVERS.fromFile });
      expect(json(".toolkeep/mcp.json").mcpServers).toEqual({ plain: SERVERS.plain, shared: SERVERS.shared });
      expect(stderr).toContain('"off" does not move: it is switched off');
      expect(stderr).toContain('"fromFile" does not move: only the client reads its `envFile`');
    }
    expect(stderr).toMatch(/ has servers of yours that are not behind the gateway: .*mine/);
    await run("uninstall", client);
    expect(both()).toEqual(before);
  });

  test("leaves what git tracks as it is", async () => {
    committed(TRACKED);
    const before = both();
    const { code, stderr } = await bench.runHere(["init", client, "--yes"]);
    expect(git("status", "--porcelain", "--untracked-files=no")).toBe("");
    if (client === "vscode") {
      // It has no hooks, so there is nothing else to install.
      expect([code, stderr]).toEqual([1, expect.stringContaining("Use --shared")]);
      expect(both()).toEqual(before);
      return;
    }
    expect(code, stderr).toBe(0);
    expect((await bench.runHere(["init", client])).stdout).toContain("already");
    await run("uninstall", client);
    expect(both()).toEqual(before);
  });

  test("changes it with --shared, says not to commit it, and restores it", async () => {
    committed(TRACKED);
    const before = both();
    const { stderr } = await run("init", client, "--shared");
    const file = SERVER_FILES[client]?.[0] ?? "";
    const isChanged = client === "cursor" || client === "vscode";
    expect(git("status", "--porcelain", "--untracked-files=no")).toBe(isChanged ? ` M ${file}\n` : "");
    if (isChanged) expect(stderr).toContain(`git tracks ${file}`);
    // The choice is remembered.
    expect((await bench.runHere(["init", client])).stdout).toContain("already");
    await run("uninstall", client);
    expect(both()).toEqual(before);
  });
});

test.each([
  ["claude-code", ".claude/settings.local.json"],
  ["cursor", ".cursor/hooks.json"],
  ["codex", ".codex/hooks.json"],
] as const)("hooks of %s are not written to %s if git tracks it", async (client, file) => {
  committed({ [file]: "{}\n" });
  const before = both();
  const { code, stderr } = await bench.runHere(["init", client, "--yes"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`git tracks ${file}`)]);
  expect(both()).toEqual(before);
  await run("init", client, "--shared");
  await run("uninstall", client);
  expect(both()).toEqual(before);
});

describe("Claude Code, where git tracks .mcp.json", () => {
  beforeEach(() => committed({ ".mcp.json": text("mcpServers") }));

  test("--single gives each server a wrapper all the same, and says why", async () => {
    const before = both();
    expect((await run("init", "claude-code", "--single")).stderr).toContain("--single is not possible");
    const { projects } = JSON.parse(readFileSync(join(bench.home, ".claude.json"), "utf8"));
    expect(Object.keys(projects[bench.project].mcpServers)).toEqual(["plain", "shared"]);
    expect(git("status", "--porcelain")).toBe("");
    await run("uninstall", "claude-code");
    expect(both()).toEqual(before);
  });

  test("a linked worktree and settings elsewhere have hooks, and their servers stay", async () => {
    const linked = join(bench.base, "linked");
    git("worktree", "add", "-q", linked);
    const elsewhere = { env: { CLAUDE_CONFIG_DIR: join(bench.home, "claude") } };
    for (const [project, input] of [
      [linked, {}],
      [bench.project, elsewhere],
    ] as const) {
      const before = [snapshotOf(project), snapshotOf(bench.home)];
      const args = (command: string) => [command, "claude-code", "--yes", "--project", project];
      const { code, stderr } = await bench.runHere(args("init"), input);
      expect([code, stderr]).toEqual([0, expect.stringContaining("its servers stay as they are")]);
      expect(execFileSync("git", ["-C", project, "status", "--porcelain"], { encoding: "utf8" })).toBe("");
      expect(snapshotOf(bench.home)).toEqual(before[1]);
      expect(readFileSync(join(project, ".claude/settings.local.json"), "utf8")).toContain("PreToolUse");
      expect(await bench.runHere(args("uninstall"), input)).toMatchObject({ code: 0 });
      expect([snapshotOf(project), snapshotOf(bench.home)]).toEqual(before);
    }
  });
});
