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
  test.each(["install", "uninstall", "hook"])("%s names the clients where none is given", async (command) => {
    const outcome = await bench.run([command]);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain("claude-code|cursor|");
  });

  test("tells wrong usage once, and as JSON where that is wanted", async () => {
    const { stderr } = await bench.run(["aprove", "x"]);
    expect(stderr.match(/unknown command/g)).toHaveLength(1);
    expect(stderr).toContain("approve");
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

  test.each([["servers"], ["install", "claude-code"], ["gateway"]])(
    "says that there is no such folder: %s %s",
    async (...args) => {
      const outcome = await bench.run([...args, "--project", "nowhere"]);
      expect(outcome).toMatchObject({ code: 2, stdout: "" });
      expect(outcome.stderr).toContain(`There is no folder ${join(bench.project, "nowhere")}.`);
    },
  );

  test("says nothing where nobody reads its help to the end", async () => {
    const child = spawn(OWN_COMMAND[0], [OWN_COMMAND[1], "--help"], {
      env: bench.environment,
      stdio: "pipe",
    });
    child.stdout.destroy();
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
    });
    const [code] = await once(child, "close");
    expect({ code, said }).toEqual({ code: 141, said: "" });
  });

  test("says that there are no servers, for the gateway and when it is installed", async () => {
    expect((await bench.run(["gateway"])).stderr).toContain("No servers are configured");
    const outcome = await bench.run(["install", "claude-code", "--yes"]);
    expect(outcome).toMatchObject({ code: 0, stderr: expect.stringContaining(".mcp.json names no servers") });
  });
});
