import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLIENTS } from "../../packages/cli/src/clients/install-client.ts";
import { installTarget } from "../../packages/cli/src/clients/installed/install-record.ts";
import { localCommand, publishedCommand } from "../../packages/cli/src/clients/installed/own-command.ts";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { decisionOf, hookBench, writeHome, writePolicy } from "./hook-bench.ts";
import { type Payload, payloadsOf } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

const claude = (name = "memory") => CLIENTS["claude-code"].entry(localCommand(), ["--wrap", name]);
const cursor = (name = "memory") => CLIENTS.cursor.entry(localCommand(), ["--wrap", name]);
const file = (servers: object, path = ".mcp.json") =>
  bench.write(path, JSON.stringify({ mcpServers: servers }));
const payload = (tool = "mcp__memory__create_entities"): Payload => ({
  ...payloadsOf("claude-code", bench)["mcp"],
  tool_name: tool,
});
const decided = (tool?: string) => decisionOf("claude-code", payload(tool), bench);

describe("a server's tool of Claude Code", () => {
  test("is allowed, because the gateway decides, if the entry is exactly what `install` writes", async () => {
    file({ memory: claude() });
    expect(await decided()).toBe("allow");
  });

  const args = () => claude()["args"] as readonly string[];
  test.each<[string, () => object]>([
    ["another program with the same arguments", () => ({ ...claude(), command: "evil" })],
    ["its own environment", () => ({ ...claude(), env: { NODE_OPTIONS: "--import ./evil.js" } })],
    ["its own working directory", () => ({ ...claude(), cwd: "evil" })],
    ["a URL in addition to the command", () => ({ ...claude(), url: "https://evil.example/mcp" })],
    ["a type that uses the URL", () => ({ ...claude(), type: "http", url: "https://evil.example/mcp" })],
    ["its own grants", () => ({ ...claude(), args: [...args(), "--allow", "mcp:memory:*"] })],
    ["its own policy", () => ({ ...claude(), args: [...args(), "--policy", "loose.yaml"] })],
    ["another folder", () => ({ ...claude(), args: [...args(), "--project", "/"] })],
    ["another server behind it", () => claude("other")],
    [
      "npx, which the project controls",
      () => CLIENTS["claude-code"].entry(publishedCommand(), ["--wrap", "memory"]),
    ],
  ])("is decided if the entry has %s", async (_what, entry) => {
    file({ memory: entry() });
    expect(await decided()).toBe("ask");
  });

  test("is allowed behind a gateway through npx only if the user installed it that way", async () => {
    const own = publishedCommand();
    file({ memory: CLIENTS["claude-code"].entry(own, ["--wrap", "memory"]) });
    expect(await decided()).toBe("ask");
    const record = { version: 1, project: bench.project, client: "claude-code", own, single: false } as const;
    const { records } = installTarget(bench.project);
    await records.write({ ...record, state: "done", files: [], folders: [], servers: [] });
    expect(await decided()).toBe("allow");
  });

  test("is decided if the configuration has a duplicate key", async () => {
    const evil = JSON.stringify({ command: "evil" });
    const ours = JSON.stringify(claude());
    const texts = [
      `{"mcpServers":{"memory":${ours},"memory":${evil}}}`,
      `{"mcpServers":{"memory":${evil},"memory":${ours}}}`,
      `{"mcpServers":{"memory":${ours}},"mcpServers":{"memory":${evil}}}`,
      `{"mcpServers":{"memory":{"command":"evil",${ours.slice(1)}}}`,
      `{"mcpServers":{"memory":${ours},"__proto__":{}}}`,
    ];
    for (const text of texts) {
      bench.write(".mcp.json", text);
      expect([text, await decided()]).toEqual([text, "ask"]);
    }
  });

  test("is decided if any of the client's files has another server of that name", async () => {
    file({ memory: claude() });
    const own = { projects: { [bench.project]: { mcpServers: { memory: { command: "other" } } } } };
    for (const text of [
      JSON.stringify(own),
      JSON.stringify({ mcpServers: { memory: { command: "other" } } }),
      "{",
    ]) {
      writeFileSync(join(bench.home, ".claude.json"), text);
      expect(await decided()).toBe("ask");
    }
  });

  test("is left to the gateway if the user's own entry for this project replaces the shared one", async () => {
    const local = (entry: object, key = bench.project) =>
      writeHome(
        bench,
        ".claude.json",
        JSON.stringify({ projects: { [key]: { mcpServers: { memory: entry } } } }),
      );
    file({ memory: { command: "shared" } });
    local(claude());
    // Not the root of a repository: Claude Code may read the servers of another folder.
    expect(await decided()).toBe("ask");
    bench.write(".git/HEAD", "ref: refs/heads/main\n");
    expect(await decided()).toBe("allow");
    local({ ...claude(), env: { X: "y" } });
    expect(await decided()).toBe("ask");
    local(claude(), join(bench.project, "src"));
    expect(await decided()).toBe("ask");
    local(claude());
    const environment = { CLAUDE_PROJECT_DIR: bench.project, CLAUDE_CONFIG_DIR: join(bench.home, "other") };
    const elsewhere = await runHook({ client: "claude-code", text: JSON.stringify(payload()), environment });
    expect(elsewhere.stdout).not.toContain('"allow"');
  });

  test("is decided if the client's settings are elsewhere and have another server of that name", async () => {
    const folder = join(bench.home, "other");
    const environment = { CLAUDE_PROJECT_DIR: bench.project, CLAUDE_CONFIG_DIR: folder };
    const answered = async () =>
      (await runHook({ client: "claude-code", text: JSON.stringify(payload()), environment })).stdout;
    file({ memory: claude() });
    expect(await answered()).toContain('"allow"');
    writeHome(bench, "other/.claude.json", JSON.stringify({ mcpServers: { memory: { command: "evil" } } }));
    expect(await answered()).not.toContain('"allow"');
  });

  test("is decided if its name may belong to several servers", async () => {
    file({ fs: claude("fs"), fs__x: { command: "evil" } });
    expect(await decided("mcp__fs__x__rm")).toBe("ask");
    expect(await decided("mcp__fs__read")).toBe("allow");
    file({ "fs x": { command: "evil" }, fs_x: claude("fs_x") });
    expect(await decided("mcp__fs_x__rm")).toBe("ask");
  });

  test("is evaluated for every server that it may belong to, and the strictest decision applies", async () => {
    writePolicy(bench, 'version: 1\nrules:\n  - allow mcp:fs:*\n  - deny mcp:fs__x:rm because "never"\n');
    expect(await decided("mcp__fs__x__rm")).toBe("deny");
    expect(await decided("mcp__fs__read")).toBe("allow");
    file({ fs: { command: "some" } });
    expect(await decided("mcp__fs__x__rm")).toBe("allow");
  });
});

test.each(["mcp__client__unknown", "mcp__client__own", "mcp__web__fetch", "mcp__web__search", "mcp__ba__sh"])(
  "%s never passes for a tool of ours",
  async (tool) => {
    const about = { ...payload(tool), tool_input: { url: "https://nodejs.org/api/", path: "src/a.ts" } };
    expect(await decisionOf("claude-code", about, bench)).toBe("ask");
  },
);

describe("a server's tool of Cursor", () => {
  const commandLine = (entry: object) => Object.values(entry).flat().join(" ");
  const about = (command: string, tool = "MCP:memory:create_entities"): Payload => ({
    ...payloadsOf("cursor", bench)["mcp"],
    command,
    tool_name: tool,
  });
  const placed = (text: string) => text.replace(`\${workspaceFolder}`, bench.project);

  test.each(["MCP:memory:create_entities", "create_entities"])(
    "%s is left to the gateway when entry and command are exactly what is installed",
    async (tool) => {
      file({ memory: cursor() }, ".cursor/mcp.json");
      expect(await decisionOf("cursor", about(placed(commandLine(cursor())), tool), bench)).toBe("allow");
    },
  );

  test("is decided if its command only resembles ours", async () => {
    const [command, ...rest] = commandLine(cursor()).split(" ");
    const entries = [
      { ...cursor(), env: { PATH: "/evil" } },
      { command, args: [rest.join(" ")] },
      { command: `${command} ${rest[0]}`, args: rest.slice(1) },
    ];
    for (const memory of entries) {
      file({ memory }, ".cursor/mcp.json");
      expect(await decisionOf("cursor", about(placed(commandLine(cursor()))), bench)).toBe("ask");
    }
    file({}, ".cursor/mcp.json");
    expect(await decisionOf("cursor", about(placed(commandLine(cursor()))), bench)).toBe("ask");
  });

  test("has the effects of a configured server only with the same command line", async () => {
    const configured = { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] };
    writeHome(bench, ".cursor/mcp.json", JSON.stringify({ mcpServers: { filesystem: configured } }));
    const reading = (command: string): Payload => ({
      ...about(command, "MCP:filesystem:read_text_file"),
      tool_input: { path: join(bench.project, "src/a.ts") },
    });
    expect(await decisionOf("cursor", reading(commandLine(configured)), bench)).toBe("allow");
    expect(await decisionOf("cursor", reading("evil"), bench)).toBe("ask");
    const { command: _, ...untold } = reading("");
    expect(await decisionOf("cursor", untold, bench)).toBe("ask");
    expect(await decisionOf("cursor", { ...untold, url: "https://evil.example/mcp" }, bench)).toBe("ask");
  });

  test("does not have the effects of another client's server of the same name", async () => {
    const configured = { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] };
    writeHome(bench, ".cursor/mcp.json", JSON.stringify({ mcpServers: { filesystem: configured } }));
    file({ filesystem: { command: "evil" } });
    const reading = {
      ...payload("mcp__filesystem__read_text_file"),
      tool_input: { path: join(bench.project, "src/a.ts") },
    };
    expect(await decisionOf("claude-code", reading, bench)).toBe("ask");
    file({ filesystem: configured });
    expect(await decisionOf("claude-code", reading, bench)).toBe("allow");
  });
});
