import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inCrowd } from "../time-limits/crowd.ts";
import { type CliBench, cliBench, OWN_COMMAND, runProgram } from "./cli-bench.ts";
import { fakeNpx } from "./fake-npx.ts";
import { type GatewayClient, gatewayClient } from "./gateway-client.ts";
import { commitAll, initGit } from "./git-project.ts";
import { guidePage } from "./guide-page.ts";
import { layHistories } from "./lay-histories.ts";
import { payloadsOf, withInput } from "./payloads.ts";
import { hasPseudoTerminal, inTerminal, type Typing } from "./pseudo-terminal.ts";
import { snapshotOf } from "./snapshot.ts";

const guide = guidePage("first-hour");
const LONGEST_MS = inCrowd(50_000);
const followed: string[] = [];
let bench: CliBench;
let project: string;
let env: Readonly<Record<string, string>>;
let served: GatewayClient | undefined;
let before: Readonly<Record<string, string>>;

const FILES = {
  "package.json": '{ "name": "shop", "scripts": { "test": "node --test" } }\n',
  "src/cart.js": "export {};\n",
  "test/cart.test.js": "",
  ".mcp.json": guidePage("gateway").block("before: .mcp.json"),
};

beforeAll(() => {
  bench = cliBench();
  project = join(bench.home, "shop");
  const { TOOLKEEP_HOME: _usual, ...environment } = bench.environment;
  // Without the clients of this machine.
  env = { ...environment, PATH: `${fakeNpx(bench.base)}:/usr/bin:/bin` };
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  initGit({ ...bench, project });
  commitAll({ ...bench, project });
  layHistories(bench.home, ["claude-code"]);
  before = snapshotOf(project);
});
afterAll(async () => {
  await served?.client.close();
  bench.remove();
});

/** Types the commands of a block in a terminal, and compares what it shows with the page. */
async function follow(name: string, typing: readonly Typing[] = [], id = ""): Promise<void> {
  followed.push(name);
  const typed = guide.block(`run: ${name}`).replaceAll("ID", id);
  const line = `stty cols 100 rows 40; ${typed}`;
  const { code, shown } = await inTerminal(line, typing, { cwd: project, env }, LONGEST_MS);
  expect(code, shown).toBe(0);
  const plain = stripVTControlCharacters(shown).replaceAll("\r", "").replaceAll(bench.home, "/home/ada");
  if (guide.text.includes(`<!-- shows: ${name} -->`)) expect(plain).toMatch(guide.shown(name));
}

/** What the installed hook answers about a command of the client. */
async function hookAnswers(command: string): Promise<string> {
  const settings = JSON.parse(readFileSync(join(project, ".claude/settings.local.json"), "utf8"));
  const line = settings.hooks.PreToolUse[0].hooks[0].command as string;
  const payload = withInput(payloadsOf("claude-code", { project, home: bench.home })["shell"] ?? {}, {
    command,
  });
  const { code, stdout } = await runProgram(["sh", "-c", line], {
    cwd: project,
    env: { ...env, CLAUDE_PROJECT_DIR: project },
    stdin: JSON.stringify(payload),
    longestMs: LONGEST_MS,
  });
  expect(code).toBe(0);
  return JSON.parse(stdout).hookSpecificOutput?.permissionDecision ?? "runs";
}

/** Starts the server as the client does, through the entry that the installation made. */
async function startServer(): Promise<GatewayClient> {
  const settings = JSON.parse(readFileSync(join(bench.home, ".claude.json"), "utf8"));
  const started = await gatewayClient({
    ...settings.projects[project].mcpServers.filesystem,
    cwd: project,
    env,
  });
  const tools = async () => (await started.client.listTools()).tools.length;
  await expect.poll(tools, { timeout: LONGEST_MS }).toBeGreaterThan(1);
  return started;
}

/** The id of the request, once it waits. */
async function waitingId(): Promise<string> {
  for (let turn = 0; turn < 20; turn += 1) {
    const { stdout } = await runProgram([...OWN_COMMAND, "approvals", "--json"], {
      ...{ cwd: project, env, longestMs: LONGEST_MS },
    });
    const [first] = JSON.parse(stdout) as { id: string }[];
    if (first !== undefined) return first.id;
    await wait(300);
  }
  throw new Error("No pending request.");
}

describe.runIf(hasPseudoTerminal)("the first hour, as the guide has it", () => {
  test("scan shows what would have happened, and writes nothing", async () => {
    const home = snapshotOf(bench.home);
    await follow("scan");
    expect(snapshotOf(bench.home)).toEqual(home);
  });

  test("init guards the project, and doctor finds it live", async () => {
    await follow("init", [
      { after: "Make these changes?", keys: "y\n" },
      { after: "Begin in the mode observe?", keys: "n\n" },
      { after: "Look through your client history", keys: "n\n" },
    ]);
    await follow("doctor");
  });

  test("the client's calls run, ask and are stopped as the table says", async () => {
    const rows = [...guide.text.matchAll(/^\| `(.+?)` +\| (it runs|Claude Code asks|it is stopped)/gm)];
    const expected = { "it runs": "runs", "Claude Code asks": "ask", "it is stopped": "deny" };
    expect(rows.length).toBe(3);
    for (const [, command = "", what = ""] of rows)
      expect(await hookAnswers(command), command).toBe(expected[what as keyof typeof expected]);
    await follow("explain");
  });

  test("a call to a server waits until it is approved, and a rule ends a question", async () => {
    served = await startServer();
    const write = { path: join(project, "Makefile"), content: "all:\n" };
    const asked = served.call("write_file", write);
    const id = await waitingId();
    await follow("approvals");
    expect(existsSync(join(project, "Makefile"))).toBe(false);
    await follow("approve", [{ after: "[y/N]", keys: "y\n" }], id);
    // On a slow machine the model was told meanwhile that the call waits, and calls again.
    const first = await asked;
    const done = first.isError ? await served.call("write_file", write) : first;
    expect(done, first.text).toMatchObject({ isError: false });
    expect(readFileSync(join(project, "Makefile"), "utf8")).toBe("all:\n");
    await served.client.close();
    served = undefined;
    await follow("allow", [{ after: "[y/N]", keys: "y\n" }]);
  });

  test("the tests of the policy pass, and the log has every decision", async () => {
    await follow("tests");
    await follow("log");
    await follow("verify");
  });

  test("uninstall restores every byte", async () => {
    await follow("uninstall", [{ after: "[y/N]", keys: "y\n" }]);
    const { Makefile: _written, ...rest } = snapshotOf(project);
    expect(rest).toEqual(before);
    expect(followed).toEqual(guide.runs);
  });
});
