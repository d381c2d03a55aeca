import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { INSTALL_CLIENTS } from "../../packages/cli/src/clients/install-client.ts";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { writeHome } from "./hook-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

/** Without the clients of this machine. */
const ENVIRONMENT = { PATH: "/usr/bin:/bin" };
const run = (...args: readonly string[]) => bench.runHere(args, { env: ENVIRONMENT });
const both = () => [snapshotOf(bench.project), snapshotOf(bench.home)];
const servers = (key: string, name: string) =>
  `${JSON.stringify({ [key]: { [name]: { command: "false" }, both: { command: "false" } } }, undefined, "\t")}\n`;
const configFile = () => join(bench.environment.TOOLKEEP_HOME, "config", "config.jsonc");

/** Traces of every client, in the project and of the user. */
function useAllClients(): void {
  bench.write(".mcp.json", servers("mcpServers", "one"));
  bench.write(".cursor/mcp.json", servers("mcpServers", "two"));
  bench.write(".vscode/mcp.json", servers("servers", "three"));
  bench.write("opencode.json", "{}\n");
  mkdirSync(join(bench.project, ".codex"));
  writeHome(bench, ".copilot/config.json", "{}\n");
}

describe("init", () => {
  test.each([
    ["in the order of the installation", [...INSTALL_CLIENTS]],
    ["in the other order", INSTALL_CLIENTS.toReversed()],
  ])("wires every client at once, and uninstall restores every byte, %s", async (_, order) => {
    useAllClients();
    const before = both();
    const { code, stdout, stderr } = await run("init", "--yes");
    expect([code, stdout], stderr).toEqual([
      0,
      expect.stringContaining(`Installed for ${INSTALL_CLIENTS.join(", ")}.`),
    ]);
    for (const file of [".claude/settings.local.json", ".cursor/hooks.json", ".codex/hooks.json"])
      expect(readFileSync(join(bench.project, file), "utf8")).toContain(" hook ");
    const moved = JSON.parse(readFileSync(join(bench.project, ".toolkeep/mcp.json"), "utf8"));
    expect(Object.keys(moved.mcpServers).toSorted()).toEqual(["both", "one", "three", "two"]);
    expect(stderr.match(/^--- .*mcp\.json/gm)?.length).toBe(new Set(stderr.match(/^--- .*mcp\.json/gm)).size);
    for (const client of order) {
      const outcome = await run("uninstall", client, "--yes");
      expect(outcome.code, outcome.stderr).toBe(0);
    }
    expect(both()).toEqual(before);
  });

  test("--confine is for the clients that can do it, also where it is installed already", async () => {
    bench.write(".cursor/mcp.json", servers("mcpServers", "two"));
    mkdirSync(join(bench.project, ".claude"));
    expect(await run("init", "--yes")).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await run("init", "--confine", "--yes");
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining("Installed for claude-code")]);
    expect(stderr).toContain("toolkeep exec");
    expect((await run("init", "--confine", "--yes")).stdout).toContain("Nothing needs to change.");
    expect((await run("init", "--yes")).stdout).toContain("Nothing needs to change.");
  });

  test("without a terminal it needs --yes, and changes nothing", async () => {
    useAllClients();
    const before = both();
    const { code, stdout, stderr } = await run("init");
    expect([code, stdout]).toEqual([4, ""]);
    expect(stderr).toContain("Run again with --yes.");
    expect(both()).toEqual(before);
    expect(existsSync(configFile())).toBe(false);
  });

  test("--dry-run shows the changes as data, and writes nothing", async () => {
    bench.write(".mcp.json", servers("mcpServers", "one"));
    const before = both();
    const { code, stdout } = await run("init", "--dry-run", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "not changed",
      clients: [{ client: "claude-code", state: "new", servers: ["one", "both"] }],
    });
    expect(both()).toEqual(before);
    expect(existsSync(bench.environment.TOOLKEEP_HOME)).toBe(false);
  });

  test("says so if there is no client, and installs for those that are named", async () => {
    const none = await run("init", "--yes");
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("No client was found here.")]);
    expect(await run("init", "codex", "--yes")).toMatchObject({ code: 0 });
    expect((await run("init", "--yes")).stdout).toContain("Nothing needs to change.");
    expect(existsSync(configFile())).toBe(false);
  });

  test("--observe sets the mode of the user, and keeps what is in the file", async () => {
    mkdirSync(join(configFile(), ".."), { recursive: true, mode: 0o700 });
    const { code, stdout } = await run("init", "codex", "--yes", "--observe");
    expect([code, stdout]).toEqual([0, expect.stringContaining("nothing is stopped yet")]);
    expect(JSON.parse(readFileSync(configFile(), "utf8"))).toEqual({ mode: "observe" });
  });

  test.runIf(hasPseudoTerminal).each([
    ["y", 0, true],
    ["n", 0, false],
  ])("at a terminal it asks once for all clients, and offers to observe: %s", async (key, code, observes) => {
    useAllClients();
    const typing = [
      { after: "Make these changes?", keys: "y\n" },
      { after: "Begin in the mode observe?", keys: `${key}\n` },
    ];
    const env = { ...bench.environment, ...ENVIRONMENT };
    const outcome = await inTerminal(`${OWN_LINE} init`, typing, { cwd: bench.project, env });
    expect(outcome.shown.split("Make these changes?").length).toBe(2);
    expect(outcome.code, outcome.shown).toBe(code);
    expect(existsSync(configFile())).toBe(observes);
  });

  /** A history with a call that asks, also in a trusted project, and one that no rule may allow. */
  function layHistory(): void {
    const use = (id: string, command: string) =>
      JSON.stringify({
        ...{ type: "assistant", sessionId: "s", cwd: bench.project, timestamp: "2026-11-15T10:00:00Z" },
        message: { content: [{ type: "tool_use", id, name: "Bash", input: { command } }] },
      });
    const lines = [use("a", "terraform init"), use("b", "terraform init"), use("c", "toolkeep trust --yes")];
    writeHome(bench, ".claude/projects/-shop/s.jsonl", `${lines.join("\n")}\n`);
  }

  const policyFile = () => join(bench.environment.TOOLKEEP_HOME, "config", "policy.yaml");

  test("--rules adds what scan suggests by the code of allow, and without it nothing is added", async () => {
    layHistory();
    expect((await run("init", "codex", "--yes", "--json")).stdout).not.toContain('"rules"');
    expect(existsSync(policyFile())).toBe(false);
    const { code, stdout } = await run("init", "codex", "--yes", "--rules", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout).rules).toEqual([
      { file: policyFile(), rules: ['allow shell.run "terraform init"'], alsoAllows: [] },
    ]);
    expect(readFileSync(policyFile(), "utf8")).toContain('allow shell.run "terraform init"');
  });

  test.runIf(hasPseudoTerminal)("at a terminal it offers the rules, and asks about each", async () => {
    layHistory();
    const typing = [
      { after: "Make these changes?", keys: "y\n" },
      { after: "Begin in the mode observe?", keys: "n\n" },
      { after: "Look through your client history", keys: "y\n" },
      { after: "Add this rule to", keys: "y\n" },
    ];
    const env = { ...bench.environment, ...ENVIRONMENT };
    const { code, shown } = await inTerminal(`${OWN_LINE} init`, typing, { cwd: bench.project, env });
    expect(code, shown).toBe(0);
    expect(shown).toContain("It would have removed 2 questions:");
    expect(readFileSync(policyFile(), "utf8")).toContain('allow shell.run "terraform init"');
  });
});
