import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
  vi.stubEnv("HOME", bench.home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

let count = 0;

/** A command of Claude Code, and what its user answered as far as the client reports it. */
async function command(line: string, outcome?: "ran" | "refused"): Promise<void> {
  count += 1;
  const payload = {
    session_id: "day",
    cwd: bench.project,
    permission_mode: "default",
    tool_name: "Bash",
    tool_use_id: `toolu_${count}`,
    tool_input: { command: line },
  };
  const send = (more: object) =>
    runHook({
      client: "claude-code",
      text: JSON.stringify({ ...payload, ...more }),
      environment: { CLAUDE_PROJECT_DIR: bench.project },
    });
  await send({ hook_event_name: "PreToolUse" });
  if (outcome === "ran") await send({ hook_event_name: "PostToolUse", tool_response: {} });
  if (outcome === "refused") await send({ hook_event_name: "PermissionDenied", reason: "no" });
}

const policy = (...args: string[]) => bench.runHere(["policy", ...args]);

describe("toolkeep policy suggest", () => {
  test("suggests the narrowest rules from what was approved, with the questions each removes", async () => {
    await command("make lint", "ran");
    await command("make lint", "ran");
    await command("make docs");
    await command("terraform plan", "ran");
    const { code, stdout } = await policy("suggest", "--json");
    expect(code).toBe(0);
    const found = JSON.parse(stdout);
    expect(found).toMatchObject({ asked: 4, approved: 3 });
    expect(found.suggestions).toMatchObject([
      { asks: 2, isWide: false, commands: ["toolkeep allow 'make lint'"] },
      { asks: 1, isWide: false, commands: ["toolkeep allow 'terraform plan'"] },
    ]);
    const shown = await policy("suggest");
    expect(shown.stdout).toContain("Removes 2 questions:\n  toolkeep allow 'make lint'\n");
    expect(await bench.runHere(["allow", "make lint", "--yes"])).toMatchObject({ code: 0 });
    expect(JSON.parse((await policy("suggest", "--json")).stdout)).toMatchObject({
      approved: 1,
      suggestions: [{ commands: ["toolkeep allow 'terraform plan'"] }],
    });
  });

  test("suggests a wide rule for similar calls, and none over dangerous calls", async () => {
    for (const name of ["a", "b", "c"]) await command(`docker start ${name}`, "ran");
    for (const name of ["a", "b", "c"]) await command(`kubectl delete ${name}`, "ran");
    const { suggestions } = JSON.parse((await policy("suggest", "--json")).stdout);
    const rules = suggestions.flatMap((one: { rules: string[] }) => one.rules);
    expect(suggestions[0]).toMatchObject({
      asks: 3,
      isWide: true,
      rules: ['allow shell.run "docker start *"'],
    });
    for (const wide of ["kubectl *", "kubectl delete *"])
      expect(rules).not.toContain(`allow shell.run "${wide}"`);
  });

  test("suggests no rule that would let a refused call pass", async () => {
    for (const name of ["a", "b", "c"]) await command(`docker start ${name}`, "ran");
    await command("docker start d", "refused");
    const { suggestions } = JSON.parse((await policy("suggest", "--json")).stdout);
    expect(suggestions.flatMap((one: { rules: string[] }) => one.rules)).toEqual(
      ["a", "b", "c"].map((name) => `allow shell.run "docker start ${name}"`),
    );
  });

  test("says so if nothing is recorded", async () => {
    const { code, stdout, stderr } = await policy("suggest");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("There is nothing to suggest.");
  });
});

describe("toolkeep policy diff", () => {
  const BEFORE = "version: 1\nextends: [toolkeep:recommended]\nrules:\n  - ask git.push\n";

  test("shows rules, settings and decisions that differ", async () => {
    bench.write("a.yaml", BEFORE);
    bench.write("b.yaml", `${BEFORE}  - deny shell.run "kubectl *"\nwatchdogs: { secrets: off }\n`);
    const { code, stdout } = await policy("diff", "a.yaml", "b.yaml");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^~ watchdog secrets: \w+ -> off$/m);
    expect(stdout).toContain('+ deny shell.run "kubectl *"\n');
    expect(stdout).toContain("  ask -> deny  bash kubectl delete namespace production\n");
    expect(stdout).toContain("(b.yaml:5)");
    expect(await policy("diff", "a.yaml", "b.yaml", "--exit-code")).toMatchObject({ code: 1 });
    expect(await policy("diff", "a.yaml", "a.yaml", "--exit-code")).toMatchObject({
      code: 0,
      stdout: "The rules and settings are the same.\nTests and examples: decided the same.\n",
    });
    bench.write("c.yaml", "version: 1\nrules: [x");
    expect(await policy("diff", "a.yaml", "c.yaml")).toMatchObject({ code: 1, stdout: "" });
  });

  test("--sessions decides the recorded calls with both, in the folders that they worked in", async () => {
    await command("make lint", "ran");
    await command("cat src/a.ts");
    await command("cat src/a.ts");
    bench.write("a.yaml", BEFORE);
    bench.write("b.yaml", `${BEFORE}  - allow shell.run "make lint"\n  - deny fs.read "src/**"\n`);
    writeFileSync(join(bench.project, "src", "a.ts"), "");
    const { code, stdout } = await policy("diff", "a.yaml", "b.yaml", "--sessions", "--json");
    expect(code).toBe(0);
    const { sessions } = JSON.parse(stdout);
    expect(sessions).toMatchObject({ count: 1, calls: 3, skipped: 0 });
    expect(sessions.differences).toMatchObject([
      { sessionId: "claude-code.day", before: "ask", after: "allow" },
      { before: "allow", after: "deny", by: expect.stringContaining("b.yaml:6") },
      { before: "allow", after: "deny" },
    ]);
    const shown = await policy("diff", "a.yaml", "b.yaml", "--sessions");
    expect(shown.stdout).toContain("Recorded: 3 of 3 calls in 1 session are decided differently.");
    expect(shown.stdout).toContain("  allow -> deny  2 x bash ");
  });
});
