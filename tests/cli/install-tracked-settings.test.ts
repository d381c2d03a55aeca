import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLIENTS } from "../../packages/cli/src/clients/install-client.ts";
import { installTarget } from "../../packages/cli/src/clients/installed/install-record.ts";
import { applyInstall } from "../../packages/cli/src/install/apply-install.ts";
import { planInstall } from "../../packages/cli/src/install/plan-install.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { commitAll, git, initGit } from "./git-project.ts";
import { writeHome } from "./hook-bench.ts";
import { snapshotOf } from "./snapshot.ts";

const SERVERS = `{ "mcpServers": {\n  "github": {"command":"false", "args":["-y","@x/github"]} } }`;
const SETTINGS = `{\n    "permissions": {"allow": ["Bash(ls)"]}\n}`;
const CLAUDE = `{\n  "numStartups": 3,\n  "projects": {\n    "/elsewhere": {}\n  }\n}`;

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  initGit(bench);
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

function commit(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) bench.write(path, text);
  commitAll(bench);
}

const run = async (...args: readonly string[]) => {
  const outcome = await bench.runHere([...args, "--yes"]);
  expect(outcome.code, outcome.stderr).toBe(0);
  return outcome;
};
const both = () => [snapshotOf(bench.project), snapshotOf(bench.home)];
const claudeFile = () => JSON.parse(readFileSync(join(bench.home, ".claude.json"), "utf8"));
const wrapperOf = (name: string) => claudeFile().projects[bench.project].mcpServers[name];

describe("in a repository where the settings of Claude Code are shared", () => {
  beforeEach(() => {
    commit({ ".mcp.json": SERVERS, ".claude/settings.json": SETTINGS });
    writeHome(bench, ".claude.json", CLAUDE);
  });

  test("git sees no change after an installation, and uninstalling restores every byte", async () => {
    const before = both();
    await run("init", "claude-code");
    expect(git(bench, "status", "--porcelain")).toBe("");
    expect(readFileSync(join(bench.project, ".claude/settings.local.json"), "utf8")).toContain("PreToolUse");
    expect(wrapperOf("github").args).toEqual(["gateway", "--wrap", "github"]);
    expect((await bench.runHere(["init", "claude-code"])).stdout).toContain("already");
    const { stdout, stderr } = await bench.runHere(["servers"]);
    expect(stderr).not.toContain("not behind the gateway");
    expect(stdout).toContain("github");
    expect(stdout).not.toContain("awaits");
    await run("uninstall", "claude-code");
    expect(both()).toEqual(before);
  });

  test("an earlier installation in the shared files is moved out of them", async () => {
    vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
    const before = both();
    const { localServers: _, ...shared } = CLIENTS["claude-code"];
    const client = {
      ...shared,
      hooks: { file: ".claude/settings.json", edits: shared.hooks?.edits ?? (() => []) },
    };
    const own = ["/gone/node", "/gone/main.js"] as const;
    const target = installTarget(bench.project);
    const plan = await planInstall({ client, own, single: false }, target.files);
    await applyInstall({ client: "claude-code", own, single: false, plan }, target);
    expect(git(bench, "status", "--porcelain")).toContain("M .claude/settings.json");
    const { stderr } = await run("init", "claude-code");
    expect(stderr).toContain("--- .claude/settings.json");
    expect(git(bench, "status", "--porcelain")).toBe("");
    await run("uninstall", "claude-code");
    expect(both()).toEqual(before);
  });

  test("what Claude Code writes to its file meanwhile stays", async () => {
    await run("init", "claude-code");
    const now = claudeFile();
    writeFileSync(join(bench.home, ".claude.json"), JSON.stringify({ ...now, numStartups: 4 }, undefined, 2));
    expect((await bench.runHere(["init", "claude-code"])).stdout).toContain("already");
    await run("uninstall", "claude-code");
    expect(claudeFile()).toEqual({ numStartups: 4, projects: { "/elsewhere": {} } });
  });

  test("an entry that Claude Code lost is reported, and written again", async () => {
    await run("init", "claude-code");
    writeHome(bench, ".claude.json", CLAUDE);
    expect((await bench.runHere(["servers"])).stderr).toContain(
      "github in .mcp.json is not behind the gateway",
    );
    await run("init", "claude-code");
    expect(wrapperOf("github")).toBeDefined();
  });

  test("the user's own server of a name stays, and no wrapper replaces it", async () => {
    const own = { projects: { [bench.project]: { mcpServers: { github: { command: "mine" } } } } };
    writeHome(bench, ".claude.json", JSON.stringify(own));
    expect((await run("init", "claude-code")).stderr).toContain("another server of that name");
    expect(claudeFile()).toEqual(own);
  });
});

test("programs that the configuration of a repository names are not started", async () => {
  commit({ ".mcp.json": SERVERS });
  const program = bench.write("evil.sh", `#!/bin/sh\ntouch ${bench.base}/started\n`, 0o755);
  for (const key of ["core.fsmonitor", "core.sshCommand", "diff.external"])
    git(bench, "config", key, program);
  rmSync(join(bench.base, "started"), { force: true });
  await run("init", "claude-code");
  expect(snapshotOf(bench.base)).not.toHaveProperty("started");
});
