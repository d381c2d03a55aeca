import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clientEntries } from "../../packages/cli/src/hooks/decide/verdict/claude-permissions.ts";
import { claudeCode } from "../../packages/cli/src/hooks/read/claude-code.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  vi.stubEnv("HOME", bench.home);
  vi.stubEnv("CLAUDE_CONFIG_DIR", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

type Lists = Readonly<Partial<Record<"deny" | "ask" | "allow", readonly string[]>>>;

const ofProject = (permissions: Lists) =>
  bench.write(".claude/settings.json", JSON.stringify({ permissions }));
const ofUser = (permissions: Lists) => {
  mkdirSync(join(bench.home, ".claude"), { recursive: true });
  writeFileSync(join(bench.home, ".claude/settings.json"), JSON.stringify({ permissions }));
};

async function said(tool: string, input: object, { isTrusted = true } = {}): Promise<string> {
  const payload = {
    ...{ session_id: "s", cwd: bench.project, hook_event_name: "PreToolUse" },
    ...{ tool_name: tool, tool_input: input },
  };
  const call = claudeCode.read(payload, { CLAUDE_PROJECT_DIR: bench.project });
  if (call === undefined) throw new Error("The payload decides nothing.");
  return (await clientEntries(call, { root: bench.project, isTrusted })).action;
}
const bash = (command: string) => said("Bash", { command });

describe("the client's own permission entries, evaluated on the original call", () => {
  test("no settings, and settings without entries, say nothing", async () => {
    expect(await bash("npm test")).toBe("none");
    bench.write(".claude/settings.json", '{ "hooks": {} }');
    expect(await bash("npm test")).toBe("none");
  });

  test.each([
    ["deny", "curl https://a.example"],
    ["deny", "npm test && curl -s https://a.example | tail -1"],
    ["deny", "timeout 5 curl x"],
    ["deny", "FOO=1 curl x"],
    ["deny", "bash -c 'curl x'"],
    ["deny", 'X="curl x"; $X'],
    ["ask", "git push origin main"],
    ["ask", "npm test && git push"],
    ["allow", "npm test"],
    ["allow", "npm test -- --watch=false"],
    ["allow", "npm test && npm run build"],
    ["none", "npm test && npm publish"],
    ["none", "npm test > package.json"],
    ["none", "npm run build:prod"],
    ["none", "ls"],
  ])("%s: %s", async (expected, command) => {
    ofProject({
      deny: ["Bash(curl:*)"],
      ask: ["Bash(git push:*)"],
      allow: ["Bash(npm test:*)", "Bash(npm run build)"],
    });
    expect(await bash(command)).toBe(expected);
  });

  test("of files, hosts, servers and other tools", async () => {
    ofUser({
      deny: ["Read(./.env)", "mcp__github__delete_repo", "Monitor", "WebFetch(domain:evil.example)"],
      ask: ["Edit(/src/**)", "mcp__linear"],
      allow: ["mcp__docs__search", "WebFetch(domain:zod.dev)", "Edit(/docs/**)"],
    });
    const at = (path: string) => ({ file_path: join(bench.project, path) });
    expect(await said("Read", at(".env"))).toBe("deny");
    expect(await said("Read", at("src/../.env"))).toBe("deny");
    expect(await said("Edit", at("src/a.ts"))).toBe("ask");
    expect(await said("MultiEdit", at("src/a.ts"))).toBe("ask");
    expect(await said("Write", at("docs/a.md"))).toBe("allow");
    expect(await said("Write", at("other/a.md"))).toBe("none");
    expect(await said("mcp__github__delete_repo", {})).toBe("deny");
    expect(await said("mcp__github__list", {})).toBe("none");
    expect(await said("mcp__linear__create", {})).toBe("ask");
    expect(await said("mcp__docs__search", {})).toBe("allow");
    expect(await said("Monitor", { command: "x" })).toBe("deny");
    expect(await said("WebFetch", { url: "https://evil.example/x" })).toBe("deny");
    expect(await said("WebFetch", { url: "https://zod.dev/api" })).toBe("allow");
  });

  test("a deny of any file applies; an allow of a project that is not trusted does not", async () => {
    ofUser({ deny: ["Bash(rm:*)"] });
    ofProject({ allow: ["Bash(rm:*)", "Bash(npm test)"] });
    bench.write(".claude/settings.local.json", JSON.stringify({ permissions: { ask: ["Bash(make:*)"] } }));
    expect(await bash("rm x")).toBe("deny");
    expect(await bash("make all")).toBe("ask");
    expect(await bash("npm test")).toBe("allow");
    expect(await said("Bash", { command: "npm test" }, { isTrusted: false })).toBe("none");
    expect(await said("Bash", { command: "make all" }, { isTrusted: false })).toBe("ask");
  });

  test.each(["{", "[]", '{ "permissions": { "deny": "Bash" } }', '{ "permissions": [] }'])(
    "a file that cannot be read may deny anything: %s",
    async (text) => {
      bench.write(".claude/settings.json", text);
      expect(await bash("ls")).toBe("ask");
    },
  );

  test("an entry that is not understood allows nothing and may deny anything", async () => {
    ofProject({ allow: ["Bash(npm:*"] });
    expect(await bash("npm test")).toBe("none");
    ofProject({ deny: ["Bash(npm:*"], allow: ["Bash(ls)"] });
    expect(await bash("ls")).toBe("deny");
  });

  test("the directory of the client's settings may be elsewhere", async () => {
    const folder = join(bench.base, "elsewhere");
    mkdirSync(folder);
    writeFileSync(join(folder, "settings.json"), '{ "permissions": { "deny": ["Bash"] } }');
    vi.stubEnv("CLAUDE_CONFIG_DIR", folder);
    expect(await bash("ls")).toBe("deny");
  });
});
