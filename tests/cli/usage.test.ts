import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliBench, cliBench, OWN_COMMAND } from "./cli-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

describe("the program", () => {
  test.each(["install", "uninstall", "hook"])("%s lists the clients if none is given", async (command) => {
    const outcome = await bench.run([command]);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain("Use one of claude-code, cursor");
  });

  test("reports invalid usage once, as JSON with --json", async () => {
    const { stderr } = await bench.run(["aproval", "x"]);
    expect(stderr).toContain("Unknown command 'aproval'.\nDid you mean approvals? Add --help");
    const outcome = await bench.run(["approvals", "--fast", "--json"]);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(outcome.stderr)).toMatchObject({
      error: { message: expect.stringContaining("--fast") },
    });
    expect(await bench.run([])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Usage:"),
    });
  });

  test.each([["servers"], ["init", "claude-code"], ["gateway"]])(
    "reports a project that does not exist: %s %s",
    async (...args) => {
      const outcome = await bench.run([...args, "--project", "nowhere"]);
      expect(outcome).toMatchObject({ code: 2, stdout: "" });
      expect(outcome.stderr).toContain(`The directory ${join(bench.project, "nowhere")} does not exist`);
    },
  );

  test("writes no error if the reader closes its help early", async () => {
    const child = spawn(OWN_COMMAND[0], [OWN_COMMAND[1], "--help"], {
      env: bench.environment,
      stdio: "pipe",
    });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString("utf8");
    });
    const [code] = await once(child, "close");
    expect({ code, stderr }).toEqual({ code: 141, stderr: "" });
  });

  test("reports that no servers are configured, in the gateway and at the installation", async () => {
    expect((await bench.run(["gateway"])).stderr).toContain("No servers are configured");
    const without = await bench.run(["init", "claude-code", "--yes", "--dry-run"]);
    expect(without).toMatchObject({ code: 0, stderr: expect.not.stringContaining("names no servers") });
    bench.write(".mcp.json", "{}\n");
    const outcome = await bench.run(["init", "claude-code", "--yes"]);
    expect(outcome).toMatchObject({ code: 0, stderr: expect.stringContaining(".mcp.json names no servers") });
    expect(outcome.stderr + outcome.stdout).toContain("Restart Claude Code if it is running.");
  });
});
