import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { activePause, readPauses } from "../../packages/cli/src/project/pause/pauses.ts";
import { acceptServers } from "./accept-servers.ts";
import { type CliBench, cliBench, OWN_COMMAND } from "./cli-bench.ts";
import { fakeNpx } from "./fake-npx.ts";
import { gatewayClient } from "./gateway-client.ts";
import { hookBench, writeHome, writePolicy } from "./hook-bench.ts";

let bench: CliBench;
const pausesFile = () => join(bench.environment.TOOLKEEP_HOME, "state", "pauses.json");

describe("a hook while paused", () => {
  beforeEach(() => {
    bench = hookBench();
  });
  afterEach(() => bench.remove());

  /** What the hook really answers: `none` is an answer that decides nothing. */
  const shell = async (command: string): Promise<string> => {
    const payload = {
      ...{ session_id: crypto.randomUUID(), cwd: bench.project, permission_mode: "default" },
      ...{ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } },
    };
    const environment = { CLAUDE_PROJECT_DIR: bench.project };
    const request = { client: "claude-code", text: JSON.stringify(payload), environment } as const;
    const { stdout } = await runHook(request);
    return JSON.parse(stdout).hookSpecificOutput?.permissionDecision ?? "none";
  };

  test("leaves to the client what would ask, and asks again once the pause has ended", async () => {
    writePolicy(
      bench,
      'version: 1\nextends: [toolkeep:recommended]\nrules:\n  - ask shell.run "make deploy"\n',
    );
    expect(await shell("make deploy")).toBe("ask");
    expect(await bench.runHere(["pause", "30m", "--yes"])).toMatchObject({ code: 0 });
    expect(await shell("make deploy")).toBe("none");
    const log = JSON.parse((await bench.runHere(["log", "--json"])).stdout);
    expect(log.map(({ tool }: { tool: string }) => tool)).toEqual(["bash", "pause", "bash"]);
    expect(log[1].effects[0]).toMatch(/^toolkeep\.pause .* until /);
    expect(log[2].person).toMatch(/^pause until .* by /);
    expect(await bench.runHere(["pause", "--end"])).toMatchObject({ code: 0 });
    expect(await shell("make deploy")).toBe("ask");
  });

  test("still denies what is denied, and still asks about keys, pushing and Toolkeep itself", async () => {
    writePolicy(bench, 'version: 1\nextends: [toolkeep:recommended]\nrules:\n  - deny shell.run "make *"\n');
    bench.write(".env", "TOKEN=x");
    const key = writeHome(bench, ".ssh/id_rsa", "key");
    const calls = [
      "make deploy",
      "git push --force origin main",
      "git push origin main",
      "npm publish",
      `cat ${key}`,
      "cat .env",
      "toolkeep pause 4h --yes",
      "toolkeep approve x",
      `rm ${pausesFile()}`,
      "rm .claude/settings.json",
      `echo x > ${join(bench.environment.TOOLKEEP_HOME, "config", "policy.yaml")}`,
    ];
    const before: string[] = [];
    for (const call of calls) before.push(`${call}: ${await shell(call)}`);
    await bench.runHere(["pause", "30m", "--yes", "--all"]);
    const after: string[] = [];
    for (const call of calls) after.push(`${call}: ${await shell(call)}`);
    expect(after).toEqual(before);
    expect(before.filter((line) => !/: (?:ask|deny)$/.test(line))).toEqual([]);
  });

  test("is refused where an administrator sets the policy, whatever the file says", async () => {
    await bench.runHere(["pause", "30m", "--yes"]);
    expect(await activePause({ root: bench.project, isManaged: false })).toBeDefined();
    expect(await activePause({ root: bench.project, isManaged: true })).toBeUndefined();
  });

  test("a file that is no pause of this program pauses nothing", async () => {
    mkdirSync(join(pausesFile(), ".."), { recursive: true, mode: 0o700 });
    const now = Date.now();
    const write = (pause: object, mode = 0o600) =>
      writeFileSync(pausesFile(), JSON.stringify({ version: 1, pauses: { "*": pause } }), { mode });
    for (const pause of [
      { since: now, until: now + 24 * 3_600_000, by: "a" },
      { since: now + 3_600_000, until: now + 2 * 3_600_000, by: "a" },
      { since: now - 7_200_000, until: now - 1, by: "a" },
      { since: now, until: "later", by: "a" },
    ]) {
      write(pause);
      expect(await readPauses()).toEqual({});
    }
    bench.write(".toolkeep/state/pauses.json", readFileSync(pausesFile(), "utf8"));
    expect(await readPauses()).toEqual({});
  });
});

describe("toolkeep pause", () => {
  beforeEach(() => {
    bench = cliBench();
  });
  afterEach(() => bench.remove());

  test("shows the state, and needs a confirmation and a time of at most some hours", async () => {
    expect(await bench.run(["pause"])).toMatchObject({ code: 0, stdout: "" });
    expect(await bench.runHere(["pause", "30m"])).toMatchObject({ code: 4, stdout: "" });
    for (const time of ["5h", "0m", "30", "soon"])
      expect(await bench.runHere(["pause", time, "--yes"])).toMatchObject({ code: 2, stdout: "" });
    expect(await bench.runHere(["pause", "--end"])).toMatchObject({ code: 1 });
    expect((await bench.runHere(["pause", "1h30m", "--yes"])).stdout).toContain(
      `Paused in ${bench.project} until`,
    );
    const [shown] = JSON.parse((await bench.runHere(["pause", "--json"])).stdout);
    expect(Date.parse(shown.until) - Date.parse(shown.since)).toBe(90 * 60_000);
  });

  test("a gateway that runs lets calls pass while paused, and asks afterwards", async () => {
    const env = { ...bench.environment, PATH: `${fakeNpx(bench.base)}:${bench.environment.PATH}` };
    const notes = { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] };
    bench.write(".mcp.json", JSON.stringify({ mcpServers: { notes } }));
    await acceptServers(bench, ["notes"]);
    const forms: unknown[] = [];
    const elicit = (form: unknown) => {
      forms.push(form);
      return { action: "accept" as const, content: { decision: "Reject" } };
    };
    const [command, ...first] = OWN_COMMAND;
    const served = await gatewayClient({
      ...{ command, args: [...first, "gateway"], cwd: bench.project, env, elicit },
    });
    try {
      const note = () => served.call("notes_create_entities", { entities: [] });
      expect(await note()).toMatchObject({ isError: true });
      await bench.run(["pause", "5m", "--yes"], { env });
      expect(await note()).toMatchObject({ isError: false });
      expect(forms).toHaveLength(1);
      await bench.run(["pause", "--end"], { env });
      expect(await note()).toMatchObject({ isError: true });
      expect(forms).toHaveLength(2);
    } finally {
      await served.client.close();
    }
  });
});
