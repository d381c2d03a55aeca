import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";

let bench: CliBench;
beforeAll(async () => {
  bench = cliBench();
  vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
  vi.stubEnv("HOME", bench.home);
  await command("day", "cat src/a.ts");
  await command("day", "make lint");
  await command("day", "cat ~/.ssh/id_ed25519");
  await command("day", "echo ghp_0123456789abcdefghijABCDEFGHIJ012345");
  await command("other", "make docs");
});
afterAll(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

let count = 0;

/** A command of Claude Code. */
async function command(conversation: string, line: string): Promise<void> {
  count += 1;
  const payload = {
    ...{ session_id: conversation, cwd: bench.project, permission_mode: "default" },
    ...{ hook_event_name: "PreToolUse", tool_name: "Bash", tool_use_id: `toolu_${count}` },
    tool_input: { command: line },
  };
  const environment = { CLAUDE_PROJECT_DIR: bench.project };
  await runHook({ client: "claude-code", text: JSON.stringify(payload), environment });
}

const sessions = (...args: readonly string[]) => bench.runHere(["sessions", ...args]);

describe("toolkeep sessions", () => {
  test("list shows the client, the project, and how many calls were asked and denied", async () => {
    const { code, stdout } = await sessions("list", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        ...{ sessionId: "claude-code.day", client: "claude-code", roots: [bench.project] },
        ...{ begunAt: expect.stringMatching(/Z$/), calls: 4, asked: 1, denied: 1 },
      },
      { sessionId: "claude-code.other", calls: 1, asked: 1, denied: 0 },
    ]);
    const shown = await sessions("list", "--last", "1");
    expect(shown.stdout).toMatch(
      /^[\d: -]+ {2}claude-code\.other\n {2}1 call, 1 asked, 0 denied; claude-code; for \S+; in .*\n$/,
    );
    expect(shown.stderr).toContain("The last 1 of 2 sessions.");
  });

  test("show has the calls, the decisions and the reasons, by a shortened id", async () => {
    const { code, stdout } = await sessions("show", "da");
    expect(code).toBe(0);
    expect(stdout).toMatch(/\d {2}claude-code\.day\n {2}4 calls, 1 asked, 1 denied; /);
    expect(stdout).toMatch(/bash: shell\.run make lint.*\n {2}left to the client; .*\n {2}because: /);
    expect(stdout).toMatch(/\n {2}denied by .*\n {2}because: /);
    expect(await sessions("show", "claude-code.")).toMatchObject({ code: 2, stdout: "" });
  });

  test("replay decides the same calls with the policy of today, and runs nothing", async () => {
    const same = JSON.parse((await sessions("replay", "day", "--json")).stdout);
    expect(same).toMatchObject({ sessionId: "claude-code.day", project: bench.project, changed: 0 });
    expect(same.calls).toHaveLength(4);
    // A call with a secret cannot be decided again as it was.
    expect(same.calls[3]).toMatchObject({ was: "allow", isRedacted: true });
    bench.write(
      "new.yaml",
      'version: 1\nextends: [toolkeep:recommended]\nrules:\n  - allow shell.run "make lint"\n  - deny fs.read "src/**"\n',
    );
    const changed = await sessions("replay", "day", "--policy", "new.yaml", "--exit-code");
    expect(changed.code).toBe(1);
    expect(changed.stdout).toMatch(
      /^allow -> deny {2}bash .*a\.ts.*\n {2}then by .*\n {2}now by .*new\.yaml:5/m,
    );
    expect(changed.stdout).toMatch(/^ask -> allow {2}bash .*make lint/m);
    expect(changed.stdout).toMatch(/^2 of 4 calls would be decided differently now\.$/m);
  });

  test("export writes the events as JSON lines, redacted as they were recorded", async () => {
    const { code, stdout } = await sessions("export", "day");
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index));
    expect(events[0]).toMatchObject({ type: "session-open", sessionId: "claude-code.day" });
    expect(stdout).not.toContain("ghp_0123456789");
  });

  test.runIf(hasPseudoTerminal)(
    "log --follow shows calls as they come, in a terminal, until Ctrl-C",
    async () => {
      const line = `${OWN_LINE} log --follow --last 1 --tool bash --decision asked`;
      const typing = [{ after: "make image", keys: "\u0003" }];
      const input = { env: bench.environment, cwd: bench.project };
      const following = inTerminal(line, typing, input, 60_000);
      const calls = setInterval(() => {
        if (count < 40) void command("more", count % 2 === 0 ? "make image" : "cat src/a.ts");
      }, 1_000);
      const { code, shown } = await following.finally(() => clearInterval(calls));
      expect(code).toBe(130);
      expect(shown).toContain("make docs");
      expect(shown).toContain("Waiting for calls. Press Ctrl-C to end.");
      expect(shown).not.toContain("a.ts");
    },
  );

  test("verify names the first changed event, and exits with 1", async () => {
    expect(await sessions("verify", "day", "other")).toMatchObject({ code: 0 });
    const database = new DatabaseSync(join(bench.environment.TOOLKEEP_HOME, "state/sessions/toolkeep.db"));
    database.exec("UPDATE batches SET bytes = CAST(replace(bytes, 'make lint', 'make tint') AS BLOB)");
    database.close();
    const { code, stdout, stderr } = await sessions("verify", "--json");
    expect(code).toBe(1);
    const verdicts = JSON.parse(stdout) as { sessionId: string; intact: boolean; event?: number }[];
    const broken = verdicts.filter(({ intact }) => !intact);
    expect(broken).toMatchObject([{ sessionId: "claude-code.day", event: expect.any(Number) }]);
    expect(broken[0]?.event).toBeGreaterThan(0);
    expect(stderr).toContain(`1 of ${verdicts.length} sessions were changed.`);
    expect(await sessions("export", "day")).toMatchObject({ code: 1 });
    const list = await sessions("list");
    expect(list).toMatchObject({ code: 1, stdout: expect.stringContaining("claude-code.other") });
  });
});
