import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileAcceptedServers } from "@toolkeep/mcp";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLIENTS, MOVED_FILE } from "../../packages/cli/src/clients/install-client.ts";
import { installTarget } from "../../packages/cli/src/clients/installed/install-record.ts";
import { localCommand } from "../../packages/cli/src/clients/installed/own-command.ts";
import { ProjectFiles } from "../../packages/cli/src/clients/installed/project-file.ts";
import { planInstall } from "../../packages/cli/src/install/plan-install.ts";
import { type CliBench, cliBench, OWN_COMMAND } from "./cli-bench.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

const run = (...args: readonly string[]) => bench.runHere(args);
const accepted = (name: string) =>
  fileAcceptedServers(join(bench.environment.TOOLKEEP_HOME, "state/accepted-servers.json")).get(
    bench.project,
    name,
  );
const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const SERVERS = JSON.stringify({ mcpServers: { github: { command: "npx", args: ["-y", "@x/github"] } } });

describe("an install record in a project", () => {
  const EVIL = "evil\n";
  const forge = (paths: readonly string[], state: "writing" | "done") => {
    const files = paths.map((path) => ({ path, after: { hash: hash(EVIL), mode: 0o755 }, edits: [] }));
    for (const [index] of files.entries()) bench.write(`.toolkeep/install/claude-code.${index}.after`, EVIL);
    const record = {
      version: 1,
      client: "claude-code",
      state,
      files,
      folders: ["../victim"],
      servers: ["evil"],
    };
    const text = JSON.stringify({ ...record, project: bench.project, own: OWN_COMMAND, single: false });
    bench.write(".toolkeep/install/claude-code.json", text);
    bench.write(MOVED_FILE, JSON.stringify({ mcpServers: { evil: { command: "evil" } } }));
  };

  test.each([["--dry-run"], ["--yes"], []])(
    "writes nothing and accepts nothing, with %s",
    async (...flags) => {
      mkdirSync(join(bench.base, "victim"));
      forge(["../home/.bashrc", ".git/hooks/pre-commit", "src/x"], "writing");
      const outcome = await run("init", "claude-code", ...flags);
      expect(existsSync(join(bench.home, ".bashrc"))).toBe(false);
      expect(existsSync(join(bench.project, ".git/hooks/pre-commit"))).toBe(false);
      expect(existsSync(join(bench.project, "src/x"))).toBe(false);
      expect(await accepted("evil")).toBeUndefined();
      expect(outcome.stdout + outcome.stderr).not.toContain("interrupted");
      expect(outcome.code).toBe(flags.length === 0 ? 4 : 0);
    },
  );

  test("is ignored, so there is nothing to accept or to undo", async () => {
    forge([], "done");
    expect((await run("init", "claude-code", "--dry-run")).stdout).not.toContain(
      "is installed for claude-code already",
    );
    expect((await run("uninstall", "claude-code", "--yes")).stderr).toContain("is not installed");
    expect(existsSync(join(bench.base, "project"))).toBe(true);
    expect(await accepted("evil")).toBeUndefined();
  });
});

describe("an interrupted installation", () => {
  const interrupt = async () => {
    bench.write(".mcp.json", SERVERS);
    expect(await run("init", "claude-code", "--yes")).toMatchObject({ code: 0 });
    const { records } = installTarget(bench.project);
    const record = await records.read("claude-code");
    if (record === undefined) throw new Error("no record");
    await records.write({ ...record, state: "writing" });
    bench.write(".mcp.json", SERVERS);
    await fileAcceptedServers(join(bench.environment.TOOLKEEP_HOME, "state/accepted-servers.json")).delete(
      bench.project,
      "github",
    );
  };

  test("is shown before it continues, and needs a confirmation", async () => {
    await interrupt();
    const before = snapshotOf(bench.project);
    for (const flags of [["--dry-run"], []]) {
      const { stdout, stderr } = await run("init", "claude-code", ...flags);
      expect(stdout + stderr).toContain("interrupted");
      expect(stdout + stderr).toContain("@x/github");
      expect(snapshotOf(bench.project)).toEqual(before);
      expect(await accepted("github")).toBeUndefined();
    }
    expect(await run("init", "claude-code", "--yes")).toMatchObject({ code: 0 });
    expect(snapshotOf(bench.project)).not.toEqual(before);
    expect(await accepted("github")).toBeDefined();
  });

  test("accepts the servers that were shown, even if the project changes", async () => {
    await interrupt();
    bench.write(MOVED_FILE, JSON.stringify({ mcpServers: { github: { command: "evil" } } }));
    const { code, stderr } = await run("init", "claude-code", "--yes");
    expect(code).toBe(1);
    expect(stderr).toContain("Another program changed");
    expect(await accepted("github")).toBeUndefined();
  });
});

test("copies are in the user's state directory and not in the project", async () => {
  bench.write(".mcp.json", SERVERS);
  await run("init", "claude-code", "--yes");
  expect(existsSync(join(bench.project, ".toolkeep/install"))).toBe(false);
  const kept = join(bench.environment.TOOLKEEP_HOME, "state/install");
  expect(readdirSync(join(kept, readdirSync(kept)[0] ?? ""))).toContain("claude-code.json");
});

test.each(["../x", "a/../../x", "/etc/x", "a//b", "", ".", "a/./b", "a/"])(
  "%j is no path within a folder",
  async (path) => {
    const files = new ProjectFiles(bench.project);
    const write = { path, bytes: Buffer.from("x"), mode: 0o644 };
    await expect(files.write(write)).rejects.toThrow("not a plain path");
    await expect(files.read(path)).rejects.toThrow("not a plain path");
    await expect(files.remove(path)).rejects.toThrow("not a plain path");
    await expect(files.removeFolder(path)).rejects.toThrow("not a plain path");
    await expect(files.missing([path])).rejects.toThrow("not a plain path");
  },
);

describe("a file that parsers may read differently", () => {
  test.each([
    ['{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}', ".mcp.json"],
    ['{"mcpServers":{"a":{"command":"x"}},"mcpServers":{}}', ".mcp.json"],
    ['{"mcpServers":{"a":{"command":"x","command":"y"}}}', ".mcp.json"],
    ['{"mcpServers":{"__proto__":{"command":"x"}}}', ".mcp.json"],
    ['{"hooks":{},"hooks":{}}', ".claude/settings.local.json"],
    ['{"mcpServers":{"github!":{"command":"evil"}}}', MOVED_FILE],
  ])("%s is refused", async (text, file) => {
    bench.write(".mcp.json", SERVERS);
    bench.write(file, text);
    const before = snapshotOf(bench.project);
    const options = { client: CLIENTS["claude-code"], own: localCommand(), single: false };
    await expect(planInstall(options, new ProjectFiles(bench.project))).rejects.toThrow(
      /twice|taken for another/,
    );
    expect(snapshotOf(bench.project)).toEqual(before);
  });
});
