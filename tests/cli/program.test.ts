import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VERSION } from "../../packages/cli/src/terminal/version.ts";
import { type CliBench, cliBench, OWN_COMMAND, runProgram } from "./cli-bench.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

describe("the program", () => {
  test("writes its version and its help to standard output", async () => {
    expect(await bench.run(["-V"])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
    const help = await bench.run(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toContain("Exit codes");
  });

  test.each([
    ["an unknown command", ["fly"]],
    ["an unknown option", ["approvals", "--fast"]],
    ["a missing argument", ["approvals", "approve"]],
    ["an unknown client", ["init", "notepad"]],
  ])("exits with 2 for %s, and writes no data", async (_what, args) => {
    const outcome = await bench.run(args);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).not.toBe("");
  });

  test("writes errors as JSON with --json", async () => {
    const outcome = await bench.run(["uninstall", "cursor", "--json"]);
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(outcome.stderr)).toMatchObject({
      error: { message: expect.any(String), hint: expect.any(String) },
    });
  });
});

/** An older Node than required, if this machine has one. */
const oldNode = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "node"))
  .find((path) => existsSync(path) && statSync(path).isFile() && majorOf(path) < 24);

function majorOf(node: string): number {
  return Number.parseInt(execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }), 10);
}

test.skipIf(oldNode === undefined)(
  "an older Node is an error, and blocks a hook (skipped if none is installed)",
  async () => {
    const run = (...args: readonly string[]) =>
      runProgram([oldNode ?? "", OWN_COMMAND[1], ...args], { cwd: bench.project, env: bench.environment });
    const outcome = await run("approvals");
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(outcome.stderr).toMatch(/^toolkeep needs Node 24 or newer, and this is [\d.]+ \(.*\)\.\n$/);
    expect(await run("hook", "claude-code")).toMatchObject({ code: 2, stdout: "" });
  },
);

test("the program starts by its name", () => {
  expect(readFileSync(OWN_COMMAND[1], "utf8").split("\n")[0]).toBe("#!/usr/bin/env node");
});

test("install needs --yes, changes nothing with --dry-run, and is idempotent", async () => {
  bench.write(".mcp.json", '{ "mcpServers": { "x": { "command": "x" } } }\n');
  const before = snapshotOf(bench.project);
  const asked = await bench.run(["init", "claude-code"]);
  expect(asked).toMatchObject({ code: 4, stdout: "" });
  expect(asked.stderr).toContain("+ ");
  // [editor 9] What would change is the result of the command.
  const shown = await bench.run(["init", "claude-code", "--dry-run"]);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("+ ") });
  const { stdout } = await bench.run(["init", "claude-code", "--dry-run", "--json"]);
  expect(JSON.parse(stdout).diffs.join("\n")).toContain("+ ");
  expect(snapshotOf(bench.project)).toEqual(before);

  expect(await bench.run(["init", "claude-code", "--yes"])).toMatchObject({ code: 0 });
  const installed = snapshotOf(bench.project);
  expect(await bench.run(["init", "claude-code", "--yes"])).toMatchObject({ code: 0 });
  expect(snapshotOf(bench.project)).toEqual(installed);

  bench.write(".mcp.json", '{ "mcpServers": {} }\n');
  expect(await bench.run(["init", "claude-code", "--yes"])).toMatchObject({ code: 1 });
  expect(await bench.run(["uninstall", "claude-code", "--yes"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(bench.project, ".mcp.json"), "utf8")).toBe('{ "mcpServers": {} }\n');
  const kept = join(bench.environment.TOOLKEEP_HOME, "state/install");
  const [copies = ""] = readdirSync(kept);
  expect(readFileSync(join(kept, copies, "claude-code.1.before"), "utf8")).toContain('"command": "x"');
});
