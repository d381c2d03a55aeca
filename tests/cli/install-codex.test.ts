import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliBench, cliBench, runProgram } from "./cli-bench.ts";
import { git, initGit } from "./git-project.ts";
import { payloadsOf } from "./payloads.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  initGit(bench);
});
afterEach(() => bench.remove());

const run = (...args: readonly string[]) => bench.runHere(args);
const HOOKS = ".codex/hooks.json";
const hooksIn = () => JSON.parse(readFileSync(join(bench.project, HOOKS), "utf8")).hooks;
const OTHERS = `{\r\n    // ours\r\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\r\n}`;

test("installing for Codex writes its hooks alone, says how they are trusted, and uninstalling restores every byte", async () => {
  bench.write(".codex/config.toml", '[mcp_servers.kit]\ncommand = "kit"\n');
  bench.write(HOOKS, OTHERS, 0o600);
  const before = snapshotOf(bench.project);
  const { code, stdout } = await run("init", "codex", "--yes");
  expect([code, stdout]).toEqual([0, expect.stringContaining("type `/hooks`")]);
  expect(readFileSync(join(bench.project, HOOKS), "utf8")).toContain("// ours\r\n");
  expect(readFileSync(join(bench.project, ".codex/config.toml"), "utf8")).toContain('"kit"');
  expect(existsSync(join(bench.project, ".toolkeep"))).toBe(false);
  await run("uninstall", "codex", "--yes");
  expect(snapshotOf(bench.project)).toEqual(before);
});

test("in a project without settings of Codex, nothing is left after uninstalling, and git sees nothing of it", async () => {
  const before = snapshotOf(bench.project);
  await run("init", "codex", "--yes");
  expect(Object.keys(hooksIn())).toEqual(["PreToolUse", "PermissionRequest", "PostToolUse"]);
  expect(git(bench, "status", "--porcelain")).toBe("");
  await run("uninstall", "codex", "--yes");
  expect(snapshotOf(bench.project)).toEqual(before);
});

test("the line does not name this program, so that another version of it stays trusted", async () => {
  await run("init", "codex", "--yes");
  expect(readFileSync(join(bench.project, HOOKS), "utf8")).not.toContain("main.js");
  const hooks = hooksIn();
  writeFileSync(join(bench.project, HOOKS), JSON.stringify({ hooks: { ...hooks, Stop: [{ hooks: [] }] } }));
  await run("uninstall", "codex", "--yes");
  expect(hooksIn()).toEqual({ Stop: [{ hooks: [] }] });
});

test("the written line decides, and blocks with a reason if the program is missing, fails or is killed", async () => {
  await run("init", "codex", "--yes");
  const line: string = hooksIn().PreToolUse[0].hooks[0].command;
  const stdin = JSON.stringify(payloadsOf("codex", bench)["patch"]);
  const inShell = (command: string) =>
    runProgram(["/bin/sh", "-c", command], { stdin, cwd: bench.project, env: bench.environment });
  expect(await inShell(line)).toEqual({ code: 0, stdout: "{}\n", stderr: "" });
  const launcher = join(bench.environment.TOOLKEEP_HOME, "state/bin/toolkeep");
  for (const script of [undefined, "exit 1", "exit 2", "kill -9 $$"]) {
    if (script === undefined) rmSync(launcher);
    else writeFileSync(launcher, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    const outcome = await inShell(line);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain("so this is blocked");
  }
});
