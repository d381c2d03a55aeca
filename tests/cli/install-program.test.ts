import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLIENTS } from "../../packages/cli/src/clients/install-client.ts";
import { type CliBench, cliBench, OWN_COMMAND, runProgram } from "./cli-bench.ts";
import { writeHome } from "./hook-bench.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

const run = (...args: readonly string[]) => bench.run(args);
const SERVERS = JSON.stringify({ mcpServers: { github: { command: "npx", args: ["-y", "@x/github"] } } });

describe("the written entries start this program", () => {
  const launcher = () => join(bench.environment.TOOLKEEP_HOME, "state/bin/toolkeep");

  test("by an absolute path, and a hook blocks if the program is missing", async () => {
    bench.write(".mcp.json", SERVERS);
    await run("init", "claude-code", "--yes");
    const { github } = JSON.parse(readFileSync(join(bench.project, ".mcp.json"), "utf8")).mcpServers;
    expect(github).toEqual(CLIENTS["claude-code"].entry([launcher()], ["--wrap", "github"]));
    const hooks = JSON.parse(readFileSync(join(bench.project, ".claude/settings.local.json"), "utf8")).hooks;
    const command: string = hooks.PreToolUse[0].hooks[0].command;
    const gone = command.replace("bin/toolkeep", "bin/gone");
    expect(gone).not.toBe(command);
    expect(await runProgram(["sh", "-c", gone], { env: bench.environment })).toMatchObject({ code: 2 });
  });

  test("and never a program in the project", async () => {
    const program = join(bench.project, "node_modules/toolkeep/dist/main.js");
    mkdirSync(join(program, ".."), { recursive: true });
    writeFileSync(program, `await import(${JSON.stringify(OWN_COMMAND[1])});\n`);
    const argv = [OWN_COMMAND[0], program, "init", "claude-code", "--yes"];
    const outcome = await runProgram(argv, { cwd: bench.project, env: bench.environment });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining("is in the project") });
    expect(existsSync(join(bench.project, ".claude"))).toBe(false);
  });

  test("through npx only with --npx, with a warning", async () => {
    bench.write(".mcp.json", SERVERS);
    const { stderr } = await run("init", "claude-code", "--yes", "--npx");
    expect(stderr).toContain("decide which program");
    expect(readFileSync(join(bench.project, ".mcp.json"), "utf8")).toContain('"npx"');
  });

  test("are rewritten if the program is started in another way, and uninstall restores every byte", async () => {
    bench.write(".mcp.json", SERVERS);
    const before = snapshotOf(bench.project);
    await run("init", "claude-code", "--yes", "--npx");
    expect(await run("init", "claude-code", "--yes")).toMatchObject({ code: 0 });
    const now = readFileSync(join(bench.project, ".mcp.json"), "utf8");
    expect(now).toContain(launcher());
    expect(now).not.toContain('"npx"');
    expect((await run("init", "claude-code")).stdout).toContain("is installed for claude-code already");
    await run("uninstall", "claude-code", "--yes");
    expect(snapshotOf(bench.project)).toEqual(before);
  });
});

test("the names of possibly secret values are shown, the values are not", async () => {
  const github = { command: "x", env: { TOKEN: "s3cret" }, headers: { Authorization: "Bearer s3cret" } };
  bench.write(".mcp.json", JSON.stringify({ mcpServers: { github } }, undefined, 2));
  const { stdout } = await run("init", "claude-code", "--dry-run");
  expect(stdout).toContain("TOKEN");
  expect(stdout).toContain("Authorization");
  expect(stdout).not.toContain("s3cret");
  const { diffs, files } = JSON.parse((await run("init", "claude-code", "--dry-run", "--json")).stdout);
  expect(files).toContain(".mcp.json");
  expect(diffs.join("\n")).toContain("+ ");
  expect(diffs.join("\n")).not.toContain("s3cret");
});

test("settings that disable or change hooks are reported", async () => {
  bench.write(".claude/settings.local.json", JSON.stringify({ disableAllHooks: true }));
  bench.write(
    ".claude/settings.json",
    JSON.stringify({ env: { NODE_OPTIONS: "--import evil", X: "s3cret" } }),
  );
  writeHome(bench, ".claude/settings.json", JSON.stringify({ env: { TOOLKEEP_HOME: "/evil" } }));
  const { stderr } = await run("init", "claude-code", "--dry-run");
  expect(stderr).toMatch(/disableAllHooks.*settings\.local\.json/);
  expect(stderr).toMatch(/settings\.json sets NODE_OPTIONS, X/);
  expect(stderr).toMatch(/settings\.json sets TOOLKEEP_HOME/);
  expect(stderr).not.toContain("s3cret");
});
