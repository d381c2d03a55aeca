import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VERSION } from "../../packages/cli/src/version.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

describe("the program", () => {
  test("tells its version and its help on standard output", async () => {
    expect(await bench.run(["-V"])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
    const help = await bench.run(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toContain("Exit codes");
  });

  test.each([
    ["a command that nobody knows", ["fly"]],
    ["an option that nobody knows", ["approvals", "--fast"]],
    ["an argument that is missing", ["approve"]],
    ["a client that nobody knows", ["install", "notepad"]],
  ])("ends with 2 for %s, and writes no data", async (_what, args) => {
    const outcome = await bench.run(args);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).not.toBe("");
  });

  test("tells errors as JSON where data would be", async () => {
    const outcome = await bench.run(["uninstall", "cursor", "--json"]);
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(outcome.stderr)).toMatchObject({
      error: { message: expect.any(String), hint: expect.any(String) },
    });
  });
});

test("installing asks without --yes, changes nothing with --dry-run, and twice is once", async () => {
  bench.write(".mcp.json", '{ "mcpServers": { "x": { "command": "x" } } }\n');
  const before = snapshotOf(bench.project);
  const asked = await bench.run(["install", "claude-code"]);
  expect(asked).toMatchObject({ code: 4, stdout: "" });
  expect(asked.stderr).toContain("+ ");
  expect(await bench.run(["install", "claude-code", "--dry-run"])).toMatchObject({ code: 0 });
  expect(snapshotOf(bench.project)).toEqual(before);

  expect(await bench.run(["install", "claude-code", "--yes"])).toMatchObject({ code: 0 });
  const installed = snapshotOf(bench.project);
  expect(await bench.run(["install", "claude-code", "--yes"])).toMatchObject({ code: 0 });
  expect(snapshotOf(bench.project)).toEqual(installed);

  bench.write(".mcp.json", '{ "mcpServers": {} }\n');
  expect(await bench.run(["install", "claude-code", "--yes"])).toMatchObject({ code: 1 });
  expect(await bench.run(["uninstall", "claude-code", "--yes"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(bench.project, ".mcp.json"), "utf8")).toBe('{ "mcpServers": {} }\n');
  const kept = join(bench.project, ".toolkeep/install/claude-code.1.before");
  expect(readFileSync(kept, "utf8")).toContain('"command": "x"');
});
