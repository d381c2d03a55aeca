import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasPlaces } from "../../packages/node/src/sandbox/contain/place/place.test.kit.ts";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { hasSandbox } from "./confined-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

const call = (...args: string[]) => bench.run(["call", ...args]);

describe("toolkeep call", () => {
  test("runs an allowed call, writes its result to standard output, and records it", async () => {
    bench.write("src/a.ts", "export const one = 1;\n");
    const { code, stdout } = await call("read", "src/a.ts");
    expect(code).toBe(0);
    expect(stdout).toContain("export const one = 1;");
    const stdin = JSON.stringify({ path: "src/b.ts", content: "two\n" });
    const written = await bench.run(["call", "write", "-", "--json"], { stdin });
    expect(written.code).toBe(0);
    expect(JSON.parse(written.stdout)).toMatchObject({ ok: true, toolName: "write" });
    expect(readFileSync(join(bench.project, "src/b.ts"), "utf8")).toBe("two\n");
    const log = await bench.run(["log", "--json"]);
    expect(JSON.parse(log.stdout)).toMatchObject([
      { tool: "read", decision: "allowed", outcome: "done" },
      { tool: "write", decision: "allowed", outcome: "done" },
    ]);
  });

  test("[C83] shows the diff of a write", async () => {
    bench.write("src/a.ts", "one\n");
    const edit = JSON.stringify({ path: "src/a.ts", old_string: "one", new_string: "two" });
    const { code, stdout } = await call("edit", edit);
    expect(code).toBe(0);
    expect(stdout).toContain("-one\n+two\n");
  });

  // Commands of root are not contained.
  test.skipIf(!hasPlaces || process.getuid?.() === 0)("[C83] a write is undone", async () => {
    bench.write("src/a.ts", "one\n");
    expect((await bench.run(["contain", "on"])).code).toBe(0);
    await call("edit", JSON.stringify({ path: "src/a.ts", old_string: "one", new_string: "two" }));
    expect((await bench.run(["changes"])).stdout).toContain("edit src/a.ts");
    expect((await bench.run(["undo", "--yes"])).code).toBe(0);
    expect(readFileSync(join(bench.project, "src/a.ts"), "utf8")).toBe("one\n");
  });

  test("exits with 3 for a denied call, with 4 for one that needs approval, with 1 for one that fails", async () => {
    const denied = await call("write", '{"path":".git/hooks/pre-commit","content":"x"}');
    expect(denied).toMatchObject({ code: 3, stdout: "" });
    expect(existsSync(join(bench.project, ".git/hooks/pre-commit"))).toBe(false);
    const asked = await call("write", '{"path":"package.json","content":"{}"}', "--json");
    expect(asked).toMatchObject({ code: 4, stdout: "" });
    expect(JSON.parse(asked.stderr).error.message).toContain("This call needs approval: ");
    expect(existsSync(join(bench.project, "package.json"))).toBe(false);
    expect(await call("read", "src/missing.ts")).toMatchObject({ code: 1, stdout: "" });
    expect(await call("raed", "src/a.ts")).toMatchObject({ code: 2, stdout: "" });
  });

  test("--dry-run shows effects and decision, and runs and records nothing", async () => {
    const asked = await call("write", '{"path":"package.json","content":"{}"}', "--dry-run");
    expect(asked.code).toBe(4);
    expect(asked.stdout).toContain(`  writes ${join(bench.project, "package.json")}\n`);
    expect(asked.stdout).toContain("Decision: ASK");
    expect(existsSync(join(bench.project, "package.json"))).toBe(false);
    expect(existsSync(join(bench.environment.TOOLKEEP_HOME, "state", "sessions"))).toBe(false);
    const allowed = await call("read", "src/a.ts", "--dry-run", "--json");
    expect(allowed.code).toBe(0);
    expect(JSON.parse(allowed.stdout)).toMatchObject({ tool: "read", action: "allow" });
  });

  test.skipIf(!hasPseudoTerminal)("asks in a terminal, and runs the call after a yes", async () => {
    const line = `${OWN_LINE} call write '{"path":"package.json","content":"{}"}'`;
    const input = { cwd: bench.project, env: bench.environment };
    const no = await inTerminal(line, [{ after: "[?] explain", keys: "n", isPressed: true }], input);
    expect(no.code).toBe(3);
    expect(existsSync(join(bench.project, "package.json"))).toBe(false);
    const yes = await inTerminal(line, [{ after: "[?] explain", keys: "y", isPressed: true }], input);
    expect(yes.code).toBe(0);
    expect(readFileSync(join(bench.project, "package.json"), "utf8")).toBe("{}");
  });

  test.skipIf(!hasPseudoTerminal)("asks no user in the terminal of an agent", async () => {
    const line = `${OWN_LINE} call write '{"path":"package.json","content":"{}"}'`;
    const env = { ...bench.environment, CLAUDECODE: "1" };
    // Where it asks, this answer would allow it.
    const keys = { after: "[?] explain", keys: "y", isPressed: true } as const;
    const { code, shown } = await inTerminal(line, [keys], { cwd: bench.project, env });
    expect(code).toBe(4);
    expect(shown).toContain("not opened by the agent");
    expect(existsSync(join(bench.project, "package.json"))).toBe(false);
  });

  test.skipIf(!hasSandbox)("runs a command in the sandbox", async () => {
    const { code, stdout } = await call("bash", "pwd");
    expect(code).toBe(0);
    expect(stdout).toContain(bench.project);
  });

  test.each([
    "toolkeep call bash ls",
    "npx -y toolkeep policy import claude --write policy.yaml",
    "npx toolkeep init --rules --yes",
  ])("is nothing that an agent may run: %s", async (command) => {
    const { stdout } = await bench.run(["policy", "explain", command, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ action: "deny" }]);
  });
});
