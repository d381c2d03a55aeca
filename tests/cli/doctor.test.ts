import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { writeLauncher } from "../../packages/cli/src/clients/installed/launcher.ts";
import { decideCall } from "../../packages/cli/src/hooks/decide/decide-call.ts";
import { DOCTOR_CONVERSATION } from "../../packages/cli/src/hooks/decide/doctor-call.ts";
import { HOOKS } from "../../packages/cli/src/hooks/read/hooks-of-clients.ts";
import { examine } from "../../packages/cli/src/install/doctor/examine.ts";
import { readProject } from "../../packages/cli/src/project/read-project.ts";
import { type CliBench, OWN_COMMAND, OWN_LINE, runProgram } from "./cli-bench.ts";
import { doctorBench, removeBench, working } from "./doctor-bench.ts";
import { hookBench, writeHome } from "./hook-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";

let bench: CliBench;
afterEach(() => removeBench(bench));

const PLAYED = ["claude-code", "cursor", "codex", "copilot", "opencode"] as const;
const COMMON = { hook_event_name: "PreToolUse", permission_mode: "default", transcript_path: "/nowhere" };
/** Each hook decides by itself, so that no process outlives the test. */
const withoutDecider = () => vi.stubEnv("TOOLKEEP_DECIDER", "off");

test("plays a forbidden call through the hook of every client, and each stops it", async () => {
  bench = await doctorBench(...PLAYED);
  withoutDecider();
  const { facts, findings } = await examine(bench.project, { probe: working });
  for (const about of PLAYED)
    expect(facts).toContainEqual({ about, text: expect.stringContaining("stops the test call") });
  expect(findings.filter(({ severity }) => severity === "gap")).toEqual([]);
  expect(existsSync(join(bench.home, ".ssh"))).toBe(false);
  const { stdout } = await bench.run(["sessions", "list", "--json"]);
  expect(JSON.parse(stdout)).toEqual([]);
});

test("nothing but the test call itself is left out of the log, whatever a client or a project says", async () => {
  bench = hookBench();
  const TEST = `cat ${join(bench.home, ".ssh", "toolkeep-doctor")}`;
  const own = `${DOCTOR_CONVERSATION}11112222-3333-4444-5555-666677778888`;
  const play = async (session_id: string, command: string, tool_name = "Bash") => {
    const input = tool_name === "Bash" ? { command } : { file_path: command };
    const payload = { ...COMMON, session_id, cwd: bench.project, tool_name, tool_input: input };
    const call = HOOKS["claude-code"].read(payload, { CLAUDE_PROJECT_DIR: bench.project });
    if (call === undefined) throw new Error("It decides nothing.");
    await decideCall(call, { client: "claude-code", project: await readProject({ cwd: bench.project }) });
    const { stdout } = await bench.runHere(["log", "--json", "--last", "1000"]);
    return (JSON.parse(stdout) as unknown[]).length;
  };
  expect(await play(own, TEST)).toBe(0);
  const others = [`${TEST} `, `${TEST}; id`, `${TEST} ~/.ssh/id_ed25519`, "cat ~/.ssh/toolkeep-doctor", "id"];
  for (const [index, command] of others.entries()) expect(await play(own, command)).toBe(index + 1);
  expect(await play(own, join(bench.home, ".ssh", "toolkeep-doctor"), "Read")).toBe(others.length + 1);
  expect(await play("11112222-3333-4444-5555-666677778888", TEST)).toBe(others.length + 2);
  writeHome(bench, ".ssh/toolkeep-doctor", "a key\n");
  expect(await play(own, TEST)).toBe(others.length + 3);
});

test("a program that is gone blocks every call, in every client", async () => {
  bench = await doctorBench(...PLAYED);
  await writeLauncher([join(bench.base, "gone", "node"), join(bench.base, "gone.js")]);
  const { findings } = await examine(bench.project, { probe: working });
  const blocking = findings.filter(({ code }) => code === "hook_blocks").map(({ about }) => about);
  expect(blocking).toEqual(PLAYED);
  expect(findings[0]?.message).toBeDefined();
});

test("a hook that ends without an answer lets calls pass, and is a gap", async () => {
  bench = await doctorBench("cursor");
  const silent = bench.write("silent.js", "");
  await writeLauncher([OWN_COMMAND[0], silent]);
  const { findings, isLive } = await examine(bench.project, { probe: working });
  expect(isLive).toBe(false);
  expect(findings).toContainEqual(expect.objectContaining({ code: "hook_fails", about: "cursor" }));
});

test("a hook that allows is a gap, whatever the launcher says of itself", async () => {
  bench = await doctorBench("claude-code");
  const allowing = bench.write("allows.js", 'process.stdout.write("{}\\n")');
  await writeLauncher([OWN_COMMAND[0], allowing]);
  const { findings } = await examine(bench.project, { probe: working });
  expect(findings).toContainEqual(expect.objectContaining({ code: "hook_passes", severity: "gap" }));
});

test("a command that was put in place of the hook is reported and not run", async () => {
  bench = await doctorBench("codex");
  const marker = join(bench.base, "ran");
  const hook = { type: "command", command: `touch ${marker}`, timeout: 30 };
  const hooks = { PreToolUse: [{ matcher: "*", hooks: [hook] }] };
  bench.write(".codex/hooks.json", JSON.stringify({ hooks }));
  const { findings } = await examine(bench.project, { probe: working });
  expect(findings).toContainEqual(expect.objectContaining({ code: "hooks_removed", about: "codex" }));
  expect(existsSync(marker)).toBe(false);
});

const run = (...args: readonly string[]) =>
  runProgram([...OWN_COMMAND, "doctor", ...args], {
    cwd: bench.project,
    env: { ...bench.environment, PATH: "/usr/bin:/bin" },
  });

test("exits with 1 and says what to type where nothing is installed, as text and as JSON", async () => {
  bench = await doctorBench();
  const text = await run();
  expect(text.code).toBe(1);
  expect(text.stdout).toContain(`in ${bench.project}: NOT LIVE, 1 gap\n`);
  expect(text.stdout).toContain("\nYou can fix:\n");
  expect(text.stdout).toContain(`> toolkeep init --project ${bench.project}\n`);
  const json = await run("--json", "--quiet");
  expect([json.code, json.stderr]).toEqual([1, ""]);
  expect(JSON.parse(json.stdout)).toMatchObject({ project: bench.project, isLive: false });
});

test.runIf(hasPseudoTerminal)("in a terminal it exits with 0 if everything guards", async () => {
  bench = await doctorBench("claude-code");
  const { code, shown } = await inTerminal(`${OWN_LINE} doctor`, [], {
    cwd: bench.project,
    env: { ...bench.environment, PATH: "/usr/bin:/bin" },
  });
  expect(shown).toContain("Playing a forbidden call through the hook of claude-code");
  expect(shown).toMatch(/: live\n\n {2}claude-code +stops the test call \(\d+ ms\)\n/);
  expect(code).toBe(0);
});
