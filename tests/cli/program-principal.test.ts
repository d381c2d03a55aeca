import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { JournalEvent } from "@toolkeep/core/journal";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { type CliBench, cliBench, OWN_COMMAND } from "./cli-bench.ts";
import { gatewayClient } from "./gateway-client.ts";

const USER = userInfo().username;

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

/** A policy that denies one command to the user of this process, another one to its first group, and one to others. */
function policyFile(): string {
  const file = join(bench.base, "policy.yaml");
  const rules = [
    `deny shell.run "make mine *" if user "${USER}"`,
    'deny shell.run "make other *" if user "root-but-not-here"',
    'allow shell.run "make other *"',
    'deny shell.run "make others *" if not user "root-but-not-here"',
  ];
  writeFileSync(file, `version: 1\nrules:\n${rules.map((rule) => `  - ${rule}\n`).join("")}`);
  return file;
}

/** The variables that name a user, with another one. */
const FORGED = { USER: "root-but-not-here", LOGNAME: "root-but-not-here", USERNAME: "root-but-not-here" };

async function hook(command: string): Promise<string> {
  const payload = {
    ...{ session_id: "s1", cwd: bench.project, permission_mode: "default", hook_event_name: "PreToolUse" },
    ...{ tool_name: "Bash", tool_use_id: `toolu_${command}`, tool_input: { command } },
    // A message may claim anything.
    ...{ user: "root-but-not-here", principal: { user: "root-but-not-here" } },
  };
  const environment = { CLAUDE_PROJECT_DIR: bench.project, ...FORGED };
  const text = JSON.stringify(payload);
  const { stdout } = await runHook({ client: "claude-code", text, environment, policyFile: policyFile() });
  return JSON.parse(stdout).hookSpecificOutput?.permissionDecision ?? "none";
}

async function opened(): Promise<readonly (JournalEvent & { readonly type: "session-open" })[]> {
  await using store = openSqliteStore({ path: join(bench.environment.TOOLKEEP_HOME, "state", "sessions") });
  const found: (JournalEvent & { readonly type: "session-open" })[] = [];
  for (const { sessionId } of store.sessions())
    for await (const event of store.events(sessionId, { types: ["session-open"] }))
      if (event.type === "session-open") found.push(event);
  return found;
}

describe("the program acts on behalf of the operating system's user", () => {
  test("in hooks, whatever variables and messages say, and records it", async () => {
    for (const [name, value] of Object.entries(FORGED)) vi.stubEnv(name, value);
    expect(await hook("make mine x")).toBe("deny");
    expect(await hook("make other x")).not.toBe("deny");
    expect(await hook("make others x")).toBe("deny");
    const [first] = await opened();
    expect(first?.principal?.user).toBe(USER);
    expect(first?.principal?.groups?.length).toBe(new Set(process.getgroups?.()).size);
  });

  test("in the gateway over standard input and output", async () => {
    const [command, ...first] = OWN_COMMAND;
    const args = [...first, "gateway"];
    const served = await gatewayClient({
      ...{ command, args, cwd: bench.project, env: { ...bench.environment, ...FORGED } },
    });
    await served.client.listTools();
    await served.client.close();
    expect((await opened()).at(-1)?.principal?.user).toBe(USER);
  });

  test("in calls, explanations and the shown configuration", async () => {
    const input = { env: FORGED };
    const policy = ["--policy", policyFile()];
    const explained = await bench.runHere(["policy", "explain", ...policy, "--json", "make mine x"], input);
    expect(JSON.parse(explained.stdout)).toMatchObject([{ action: "deny" }]);
    const call = await bench.run(["call", "bash", "make mine x", ...policy], input);
    expect(call.code).toBe(3);
    expect((await opened()).at(-1)?.principal?.user).toBe(USER);
    const shown = await bench.runHere(["config", "show", "--json"], input);
    expect(JSON.parse(shown.stdout).principal).toMatchObject({ user: USER });
    expect((await bench.runHere(["config", "show"], input)).stdout).toContain(`  user         ${USER}\n`);
  });
});
