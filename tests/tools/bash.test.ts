import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolResult } from "@toolkeep/core";
import { envelope, modelText } from "@toolkeep/core/formats";
import { collectEvents, toolConformance } from "@toolkeep/core/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { bashTool } from "../../packages/tools/src/shell/bash-tool.ts";
import { until } from "../scenario.ts";
import { commandBench, request } from "./command-bench.ts";

let bench: Awaited<ReturnType<typeof commandBench>>;

beforeAll(async () => {
  const values = { ...process.env, SECRET_TOKEN: "do-not-tell", SHOWN: "shown" };
  bench = await commandBench({ environment: { values, pass: ["SHOWN"] } });
});
afterAll(() => bench.close());

const bash = (args: Readonly<Record<string, unknown>>) => request("bash", args);

async function run(args: Readonly<Record<string, unknown>>, tool = bashTool()): Promise<ToolResult> {
  await using session = await bench.session([tool]);
  return await session.call(bash(args));
}

test("[C48] bash runs one command line: both streams in order, and the exit code as data", async () => {
  const result = await run({ command: "echo one; echo two >&2; echo three; exit 3" });
  expect(result).toMatchObject({ ok: true, data: { exitCode: 3, output: "one\ntwo\nthree\n" } });
  expect(modelText(result)).toBe("one\ntwo\nthree\n[exit code 3]");
  expect(modelText(await run({ command: "true" }))).toBe("(no output)");
});

test("[C48] every call starts a new shell: only files persist", async () => {
  await using session = await bench.session([bashTool()]);
  await session.call(bash({ command: "here=1; echo kept > kept.txt" }));
  const { data } = await session.call(bash({ command: 'echo "here=$here"; cat kept.txt' }));
  expect(data).toEqual({ exitCode: 0, output: "here=\nkept\n" });
});

test("the input of a command is closed", async () => {
  expect((await run({ command: "cat; echo over" })).data).toEqual({ exitCode: 0, output: "over\n" });
});

test("[C110] output above 200 KB is cut at the end of a line, and the whole is kept", async () => {
  const ports = bench.workspace.sessionOptions();
  await using session = await bench.session([bashTool()], ports);
  const result = await session.call(bash({ command: "seq 1 60000; echo the end" }));
  const whole = `${Array.from({ length: 60_000 }, (_, index) => index + 1).join("\n")}\nthe end\n`;
  const { head } = result.data as { readonly head: string };
  expect(head.length).toBeLessThanOrEqual(200_000);
  expect(head.length).toBeGreaterThan(199_900);
  expect(head.endsWith("\n") && whole.startsWith(head)).toBe(true);
  const { path = "", ...counted } = result.truncation ?? {};
  expect(counted).toEqual({ by: "tool", unit: "bytes", kept: head.length, lost: whole.length - head.length });
  expect(envelope.result(result).metadata).toMatchObject({ truncated: true, output_path: path });
  expect(modelText(result)).toContain("The rest is kept, but no tool here reads it. Ask for less at a time.");
  expect(new TextDecoder().decode(await ports.sidecar.read(path))).toBe(whole);
});

test("binary data and terminal control sequences are escaped", async () => {
  const command = String.raw`printf 'bad \377 \033[31mred\033[0m \033[2J\033]0;x\007 50%%\r100%%\n \342\200\256txt'`;
  const result = await run({ command });
  const shown = "bad \uFFFD red \\x1b[2J\\x1b]0;x\\x07 50%\n100%\n <U+202E>txt";
  expect(result.data).toEqual({ exitCode: 0, output: shown });
  expect(modelText(result)).toBe(shown);
});

test("a command sees the variables that are passed on, the search path of the sandbox, and nothing else", async () => {
  writeFileSync(join(bench.root, "ls"), "#!/bin/sh\ntouch PWNED\n", { mode: 0o755 });
  const { data } = await run({ command: "env; ls" });
  const { output } = data as { readonly output: string };
  expect(output).toContain("SHOWN=shown");
  expect(output).not.toContain("do-not-tell");
  expect(output).toMatch(/^PATH=(?:\/[^:\n]+:?)+$/m);
  expect(readdirSync(bench.root)).not.toContain("PWNED");
  expect((await run({ command: "cat /proc/self/environ" })).failure?.code).toBe("denied");
});

describe("time", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Lets so much time pass for a call once its command sleeps. */
  async function passing<T>(ms: number, sleeper: string, calling: () => Promise<T>): Promise<T> {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
    });
    const called = calling();
    await expect.poll(() => processesWith(sleeper).length).toBeGreaterThan(0);
    vi.advanceTimersByTime(ms);
    vi.useRealTimers();
    return called;
  }

  test("a command is killed at the timeout that the model gave; its output is returned", async () => {
    const result = await passing(400, "300.25", () =>
      run({ command: "echo begun; sleep 300.25", timeout: 400 }),
    );
    expect(result).toMatchObject({ ok: true, data: { exitCode: null, output: "begun\n" } });
    expect(modelText(result)).toContain("It took longer than 400 ms and was ended.");
    expect(processesWith("300.25")).toEqual([]);
  });

  test("the host application sets the default and the largest timeout", async () => {
    const timed = async (config: object, timeout: object) => {
      const { createRegistry } = await import("@toolkeep/core");
      const registry = createRegistry({ config: { bash: { ...config } } });
      registry.register(bashTool());
      await using session = await bench.session([], { registry });
      const called = () => session.call(bash({ command: "sleep 300.125", ...timeout }));
      return (await passing(300, "300.125", called)).data;
    };
    const stopped = "It took longer than 300 ms and was ended.";
    expect(await timed({ maxTimeoutMs: 300, timeoutMs: 200 }, { timeout: 600_000 })).toMatchObject({
      stopped,
    });
    expect(await timed({ timeoutMs: 300 }, {})).toMatchObject({ stopped });
  });

  test("a shorter timeout of the session applies, and the output so far is kept", async () => {
    await using session = await bench.session([bashTool()], { limits: { timeoutMs: 500 } });
    const command = "echo begun; sleep 300.5";
    const result = await passing(500, "300.5", () => session.call(bash({ command, timeout: 60_000 })));
    expect(result).toMatchObject({ failure: { code: "timed_out" }, data: { output: "begun\n" } });
    expect(processesWith("300.5")).toEqual([]);
  });

  test("cancelling kills the command and everything it started", async () => {
    await using session = await bench.session([bashTool()]);
    const called = session.call(bash({ command: "(sleep 300.75 &) ; sleep 300.75" }));
    await until(() => processesWith("300.75").length >= 2);
    session.cancel();
    expect((await called).failure?.code).toBe("cancelled");
    expect(processesWith("300.75")).toEqual([]);
  });

  test("progress reports how much was written, at intervals, and never what was written", async () => {
    await using session = await bench.session([bashTool()]);
    const command = "for i in 1 2 3 4 5 6; do echo private; sleep 0.2; done";
    const { events, outcome } = await collectEvents(session, () => session.call(bash({ command })));
    const told = events.filter(({ type }) => type === "call-progress");
    expect(told.length).toBeGreaterThanOrEqual(2);
    expect(told.length).toBeLessThanOrEqual(1 + outcome.durationMs / 500);
    expect(JSON.stringify(told)).toMatch(/\d+ bytes of output after \d+ s/);
    expect(JSON.stringify(told)).not.toContain("private");
  });
});

describe("the effects of a command", () => {
  const effectsOf = async (args: Readonly<Record<string, unknown>>, options = {}) => {
    const tool = bashTool(options);
    const { resolver } = bench.workspace.sessionOptions();
    const effects = (await tool.effects?.(args as never, resolver)) ?? [];
    return effects.map(({ capability, target }) => `${capability} ${target}`);
  };

  test("[C46] are the effects of each command in the line, and the requirements cover all of them", async () => {
    expect(await effectsOf({ command: "git push origin main && rm old.txt" })).toEqual([
      "shell.run git push origin main",
      "git.push origin main",
      "shell.run rm old.txt",
      "fs.delete old.txt",
    ]);
    expect(bashTool().requires).toEqual({
      fs: { read: ["{workspace}/**", "{tmp}/**"], write: ["{workspace}/**", "{tmp}/**"] },
      net: { hosts: ["*"] },
      capabilities: [
        ...["shell.run", "shell.dynamic", "git.push", "git.commit", "git.read"],
        ...["package.publish", "package.install", "package.run"],
      ],
    });
  });

  test("with a working directory begin with a move there: rules see it, and relative paths start there", async () => {
    mkdirSync(join(bench.root, "below"), { recursive: true });
    const workdir = join(bench.root, "below");
    expect(await effectsOf({ command: "rm x", workdir })).toEqual([
      `shell.run cd ${workdir}`,
      "shell.run rm x",
      `fs.delete ${workdir}/x`,
    ]);
    expect((await run({ command: "pwd", workdir })).data).toMatchObject({ output: `${workdir}\n` });
    const rules = [{ permission: "shell.run", pattern: "./build.sh", action: "allow" }] as const;
    await using session = await bench.session([bashTool()], { policy: rules });
    expect((await session.explain(bash({ command: "./build.sh" }))).explanation?.decision.action).toBe(
      "allow",
    );
    const elsewhere = await session.explain(bash({ command: "./build.sh", workdir }));
    expect(elsewhere.explanation?.decision.action).toBe("ask");
  });

  test("a working directory outside the workspace is refused, and so is a file", async () => {
    expect((await run({ command: "pwd", workdir: "/etc" })).failure?.code).toBe("out_of_scope");
    expect((await run({ command: "cat /etc/shadow" })).failure?.code).toBe("out_of_scope");
  });

  test("an unparsable command is denied, and a dynamic one asks", async () => {
    expect((await run({ command: "echo 'never closed" })).failure?.code).toBe("effects_failed");
    const rules = [{ permission: "shell.run", action: "allow" }] as const;
    await using session = await bench.session([bashTool()], { policy: rules });
    expect((await session.call(bash({ command: "echo plain" }))).ok).toBe(true);
    expect((await session.call(bash({ command: "$(echo echo) not" }))).failure?.code).toBe("denied");
  });

  test("hosts of the tool are effects of a command that may leave this machine, and of no other", async () => {
    const hosts = ["a.example"];
    for (const command of ["ls -a | head -3", "git status", "cd src && cat a.ts"])
      expect((await effectsOf({ command }, { hosts })).join()).not.toContain("net.fetch");
    for (const command of ["node deploy.js", "ls && ./deploy.sh", "npm test"])
      expect(await effectsOf({ command }, { hosts })).toContain("net.fetch a.example");
  });

  test("hosts that the command names are effects, each once", async () => {
    const effects = await effectsOf({
      command: "curl -s https://a.example/x https://a.example/y && wget b.example",
    });
    expect(effects.filter((one) => one.startsWith("net.fetch"))).toEqual([
      "net.fetch a.example",
      "net.fetch b.example",
    ]);
  });
});

test("it satisfies the tool contract: no crash, no undeclared effect, and it stops when cancelled", async () => {
  const { resolver, grantIo, variables } = bench.workspace.sessionOptions();
  const errors = await toolConformance(bashTool(), {
    ...{ resolver, grantIo, variables },
    examples: [{ command: "echo hello" }, { command: "exit 1", description: "Fails.", timeout: 5_000 }],
    refuses: [{}, { command: "" }, { command: "ls", timeout: 0 }, { command: "ls", more: 1 }, { command: 1 }],
    longRunning: { command: "sleep 300.125" },
  });
  expect(errors).toEqual([]);
});

/** The processes on this machine whose command line contains a marker. */
function processesWith(word: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false;
    }
  });
}
