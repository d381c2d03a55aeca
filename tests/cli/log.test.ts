import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSession } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

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

/** A hook call of a client that writes to a path of the project. */
async function hookAbout(path: string, conversation: string): Promise<void> {
  const payload = withInput(payloadsOf("claude-code", bench)["write"] as Payload, {
    file_path: join(bench.project, path),
  });
  const text = JSON.stringify({ ...payload, session_id: conversation });
  const environment = { CLAUDE_PROJECT_DIR: bench.project };
  expect(await runHook({ client: "claude-code", text, environment })).toMatchObject({ exitCode: 0 });
}

const log = async (...args: readonly string[]) => {
  const { code, stdout } = await bench.runHere(["log", "--json", ...args]);
  return { code, calls: JSON.parse(stdout || "[]") };
};

test("shows the decisions, the rules behind them, and that the client runs the calls", async () => {
  await hookAbout("src/a.ts", "one");
  await hookAbout("package.json", "one");
  await hookAbout(".git/config", "two");
  const { code, calls } = await log();
  expect(code).toBe(0);
  expect(calls).toMatchObject([
    { sessionId: "claude-code.one", tool: "write", decision: "allowed", outcome: "unknown" },
    {
      sessionId: "claude-code.one",
      effects: [`fs.write ${join(bench.project, "package.json")}`],
      decision: "delegated",
      outcome: "unknown",
    },
    {
      sessionId: "claude-code.two",
      decision: "denied",
      outcome: "denied",
      by: expect.stringContaining("rule"),
    },
  ]);
  const { stdout } = await bench.runHere(["log"]);
  const lines = stdout.split("\n");
  expect(lines[1]).toMatch(/^ {2}allowed by rule: .*; left to the client; outcome unknown {2}\(/);
  expect(lines[3]).toMatch(/^ {2}left to the client; outcome unknown; asked by /);
  const plain = await bench.runHere(["log", "--last", "1"]);
  expect(plain.stdout.split("\n")).toEqual([
    expect.stringContaining(`write: fs.write ${join(bench.project, ".git/config")}`),
    expect.stringMatching(/^ {2}denied by rule: .*; denied {2}\(claude-code\.two\)$/),
    expect.stringMatching(/^ {2}because: \S/),
    "",
  ]);
});

test("shows one session by its shortened id, and refuses an id that matches none or several", async () => {
  await hookAbout("src/a.ts", "one");
  await hookAbout("src/b.ts", "two");
  expect((await log("claude-code.o")).calls).toMatchObject([{ sessionId: "claude-code.one" }]);
  expect((await log("claude-code.")).code).toBe(2);
  expect((await log("missing")).code).toBe(1);
  expect((await log("--last", "none")).code).toBe(2);
  expect((await log("--decision", "maybe")).code).toBe(2);
  expect((await log("--since", "soon")).code).toBe(2);
});

test("--verify finds a changed session", async () => {
  await hookAbout("src/a.ts", "one");
  await hookAbout("src/b.ts", "two");
  expect(await log("--verify")).toMatchObject({ code: 0, calls: [{ intact: true }, { intact: true }] });
  const database = new DatabaseSync(join(bench.environment.TOOLKEEP_HOME, "state/sessions/toolkeep.db"));
  database.exec("UPDATE batches SET bytes = CAST(replace(bytes, 'a.ts', 'x.ts') AS BLOB)");
  database.close();
  const after = await bench.runHere(["log", "--verify"]);
  expect(after.code).toBe(1);
  expect(after.stdout).toMatch(/^claude-code\.one {2}CHANGED at event \d+: /m);
  expect(after.stdout).toMatch(/^claude-code\.two {2}intact, /m);
  // The record that was changed is left out, and the rest is shown.
  const rest = await bench.runHere(["log", "--json"]);
  expect(rest.code).toBe(1);
  expect(JSON.parse(rest.stdout)).toMatchObject([{ sessionId: "claude-code.two" }]);
  expect(rest.stderr).toContain("Run `toolkeep sessions verify claude-code.one`.");
});

test("a name with line ends stays on one line", async () => {
  await hookAbout("src/a.ts\n2026-01-01T00:00:00.000Z  write: fs.write /x", "one");
  const { stdout } = await bench.runHere(["log"]);
  expect(stdout.trimEnd().split("\n")).toHaveLength(2);
});

test("--store shows the calls of an application, with what its tools threw", async () => {
  const path = join(bench.home, "app-store");
  const store = openSqliteStore({ path });
  const { tool } = stubTool("broken", () => {
    throw new TypeError("no such account");
  });
  const session = await createSession({ id: "chat", store, tools: [tool] });
  await session.call("broken", {});
  await session.close();
  await store.close();
  const { stdout } = await bench.runHere(["log", "--store", path, "chat"]);
  expect(stdout).toMatch(
    /broken\n {2}allowed by .*tool_crashed {2}\(chat\)\n {2}\| TypeError: no such account\n {2}\| +at /,
  );
  expect((await log("--store", path, "--verify")).calls).toMatchObject([{ sessionId: "chat", intact: true }]);
  const missing = await bench.runHere(["log", "--store", join(bench.home, "nowhere")]);
  expect(missing.code).not.toBe(0);
  expect(missing.stderr).toContain("There is no session store in ");
});
