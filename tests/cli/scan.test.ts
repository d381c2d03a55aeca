import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { addRule } from "@toolkeep/policy/internal";
import { afterEach, beforeEach, expect, test } from "vitest";
import { whyNoJail } from "../jail/outer-jail.ts";
import { inCrowd } from "../time-limits/crowd.ts";
import { type CliBench, cliBench, OWN_COMMAND, OWN_LINE, runProgram } from "./cli-bench.ts";
import { CALLS, CLIENTS_WITH_HISTORY, layHistories, TOKEN } from "./lay-histories.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  layShop();
});
afterEach(() => bench.remove());

/** On a machine that does other things as well. */
const LONGEST_MS = inCrowd(50_000);

/** The project that the histories are about. */
function layShop(): void {
  const manifest = {
    name: "shop",
    scripts: { test: "node --test", build: "node build.js" },
    dependencies: {},
  };
  const files = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "src/cart.js": "export {};\n",
    "test/cart.test.js": "",
    Makefile: "lint:\n\ttrue\n",
    "package.json": JSON.stringify(manifest, undefined, 2),
  };
  for (const [path, text] of Object.entries(files)) inHome(`shop/${path}`, text);
}

function inHome(path: string, text: string): void {
  const file = join(bench.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function scanned(...args: readonly string[]) {
  const { code, stdout, stderr } = await bench.runHere(["scan", "--json", ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

test.each(CLIENTS_WITH_HISTORY)("decides about every call that %s recorded", async (client) => {
  layHistories(bench.home, [client], 2);
  const report = await scanned();
  expect(report.clients).toEqual([{ client, conversations: 2, calls: 2 * CALLS[client] }]);
  expect(report).toMatchObject({ calls: 2 * CALLS[client], unknown: [], skipped: [] });
  const denied = report.denied.map(({ call }: { call: string }) => call).join("\n");
  expect(denied).toContain("git push --force origin main");
  expect(denied).toContain(".ssh/id_rsa");
  expect(report.secrets).toEqual([expect.objectContaining({ kind: "github-token", times: 2 })]);
  expect(report.trust).toEqual([{ project: join(bench.home, "shop"), removes: expect.any(Number) }]);
});

test("writes nothing, also no directory of its own, and shows no secret", async () => {
  layHistories(bench.home);
  const before = snapshotOf(bench.base);
  const { code, stdout, stderr } = await bench.run(["scan"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(snapshotOf(bench.base)).toEqual(before);
  expect(existsSync(bench.environment.TOOLKEEP_HOME)).toBe(false);
  expect(stdout).toContain("Bearer [redacted:github-token]");
  expect(stdout).not.toContain(TOKEN);
  expect(stdout).toMatch(/\nNext, install Toolkeep and run in a project: toolkeep init\n/);
});

test.skipIf(whyNoJail("user") !== undefined)(
  "works in an empty folder with an empty home and without a network, and writes nothing",
  async () => {
    const folder = join(bench.base, "empty");
    const home = join(bench.base, "new-home");
    const tmp = join(bench.base, "tmp");
    for (const one of [folder, home, tmp]) mkdirSync(one);
    const before = snapshotOf(bench.base);
    // Everything else cannot be written to, so that a write there fails.
    const jail = ["--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
    const own = ["--bind", bench.base, bench.base, "--chdir", folder];
    const environment = { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: tmp };
    const { code, stdout, stderr } = await runProgram(["bwrap", ...jail, ...own, ...OWN_COMMAND, "scan"], {
      ...{ cwd: folder, env: environment },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("No history of Claude Code, Codex, Gemini CLI or opencode was found");
    expect(stdout).toContain("project: toolkeep init");
    expect(snapshotOf(bench.base)).toEqual(before);
  },
);

test.skipIf(!hasPseudoTerminal)("shows its progress and the result in a terminal", async () => {
  layHistories(bench.home, CLIENTS_WITH_HISTORY, 2);
  const input = { env: { ...bench.environment, FORCE_COLOR: "1" }, cwd: bench.project };
  const { code, shown } = await inTerminal(`${OWN_LINE} scan`, [], input, LONGEST_MS);
  expect(code).toBe(0);
  expect(shown).toMatch(/\rReading the histories: 100 calls/);
  expect(shown).toContain("would be stopped");
  expect(shown).toContain("\u001B[1mNext, install Toolkeep and run in a project: toolkeep init\u001B[22m");
});

test("the rules remove what they are said to remove", async () => {
  layHistories(bench.home, CLIENTS_WITH_HISTORY, 2);
  const before = await scanned();
  const lines: string[] = before.rules.flatMap(({ rules }: { rules: { line: string }[] }) =>
    rules.map(({ line }) => line),
  );
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(10);
  const file = join(bench.base, "policy.yaml");
  writeFileSync(file, lines.reduce<string | undefined>(addRule, undefined) ?? "");
  const after = await scanned("--policy", file);
  const said = before.rules.reduce((sum: number, { removes }: { removes: number }) => sum + removes, 0);
  expect(before.decisions.ask - after.decisions.ask).toBe(said);
  expect(after.decisions.deny).toBe(before.decisions.deny);
});

test("[C27] a history makes no project trusted, and trust removes what it is said to remove", async () => {
  layHistories(bench.home, CLIENTS_WITH_HISTORY, 2);
  const before = await scanned();
  expect(await scanned()).toEqual(before);
  const project = join(bench.home, "shop");
  expect((await bench.run(["trust", "--project", project, "--yes"])).code).toBe(0);
  const after = await scanned();
  expect(before.decisions.ask - after.decisions.ask).toBe(before.trust[0].removes);
});

test("a history is hostile: links, long lines, escapes and unknown records", async () => {
  layHistories(bench.home, ["claude-code"]);
  const folder = ".claude/projects/-evil";
  const cwd = join(bench.home, "shop");
  const use = (id: string, input: unknown, name = "Bash") =>
    JSON.stringify({
      ...{ type: "assistant", sessionId: "evil", cwd, timestamp: "2026-11-15T10:00:00Z" },
      message: { content: [{ type: "tool_use", id, name, input }] },
    });
  const escapes = "\u001B]0;owned\u0007\u001B[2J\u202Esudo rm -rf / \r\nNext: evil";
  inHome(
    `${folder}/evil.jsonl`,
    [
      use("a", { command: escapes }),
      use("b", { command: 7 }),
      use("c", "no object"),
      use("d", {}, `tool${escapes}`),
      "not JSON",
      `{"type":"${"\\u001b[31mnew"}"}`,
      `{"type":"user","text":"${"x".repeat(16_000_001)}"}`,
      "[".repeat(100_000),
    ].join("\n"),
  );
  inHome("secret.jsonl", use("e", { command: "cat stolen" }));
  symlinkSync(join(bench.home, "secret.jsonl"), join(bench.home, folder, "link.jsonl"));
  symlinkSync("/", join(bench.home, ".claude/projects/root"));
  const report = await scanned();
  expect(report.calls).toBe(CALLS["claude-code"] + 4);
  expect(JSON.stringify(report)).not.toContain("stolen");
  expect(report.unknown).toEqual([{ client: "claude-code", kind: "\u001B[31mnew", times: 1 }]);
  expect(report.skipped).toEqual(
    expect.arrayContaining([
      { client: "claude-code", kind: "a link", times: 2 },
      { client: "claude-code", kind: "a line that is not JSON", times: 2 },
      { client: "claude-code", kind: "a line longer than 16 MB", times: 1 },
    ]),
  );
  const { stdout } = await bench.run(["scan"]);
  for (const one of ["\u001B", "\u0007", "\u202E", "\r"]) expect(stdout).not.toContain(one);
  expect(stdout.split("\n").filter((line) => line.startsWith("Next"))).toHaveLength(1);
});

test("marks what depends on files that are gone, and counts only what is asked for", async () => {
  layHistories(bench.home, ["codex"]);
  const text = JSON.stringify({
    timestamp: "2020-01-01T00:00:00Z",
    type: "session_meta",
    payload: { cwd: "/gone/x" },
  });
  const call = { type: "function_call", name: "exec_command", arguments: '{"cmd":"make x"}', call_id: "1" };
  const old = JSON.stringify({ timestamp: "2020-01-01T00:00:00Z", type: "response_item", payload: call });
  inHome(".codex/sessions/2020/01/01/rollout-2020-old.jsonl", `${text}\n${old}\n`);
  const all = await scanned();
  expect(all.asked).toContainEqual(expect.objectContaining({ call: "make x", project: "/gone/x", gone: 1 }));
  const recent = await scanned("--since", "2021-01-01");
  expect(recent.calls).toBe(all.calls - 1);
  const { code, stderr } = await bench.run(["scan", "--since", "soon"]);
  expect(code).toBe(2);
  expect(stderr).toContain('--since "soon" is not a time, such as 12h, 7d, 2w');
});
