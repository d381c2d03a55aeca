import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createRedactor, type Effect, ToolFailure } from "@toolkeep/core";
import { effect, envRead, shellRun } from "@toolkeep/core/internal";
import type { Command, CommandOutcome, Sandbox, SandboxProfile } from "@toolkeep/core/ports";
import { type FolderSidecar, folderSidecar } from "@toolkeep/sqlite/internal";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { noSandbox } from "../sandbox/open-sandbox.ts";
import type { CommandLimits } from "./command-parts.ts";
import { guardedCommands } from "./guarded-commands.ts";
import { shellGrant } from "./shell-grant.test.kit.ts";
import { type Spawner, startSpawner } from "./spawner.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

let spawner: Spawner;
let root: string;
let workspace: string;
let sidecar: FolderSidecar;
let asked: Effect[];
let sandboxed: { argv: readonly string[]; profile: SandboxProfile }[];
let done: number;
let controller: AbortController;

beforeAll(async () => {
  spawner = await startSpawner();
});

afterAll(() => spawner.close());

beforeEach(async () => {
  root = temporaryFolder();
  workspace = join(root, "workspace");
  await mkdir(join(workspace, "hidden"), { recursive: true });
  sidecar = folderSidecar({ folder: join(root, "sidecars"), sessionId: "s", redactor: createRedactor() });
  [asked, sandboxed, done, controller] = [[], [], 0, new AbortController()];
});

/** A sandbox that is none, and records its profiles. */
const sandbox: Sandbox = {
  ...noSandbox(),
  async wrap(argv, profile) {
    sandboxed.push({ argv, profile });
    const { environment, cwd } = profile;
    return { argv, environment, cwd, done: async () => void done++ };
  },
};

function commands(limits: CommandLimits = {}, granted?: readonly Effect[]) {
  const grant = shellGrant({
    abortSignal: controller.signal,
    check(access) {
      asked.push(access);
      const isGranted = granted?.some(
        ({ capability, target }) => capability === access.capability && target === access.target,
      );
      if (isGranted === false) throw new ToolFailure("out_of_scope", `${access.capability} is outside`);
    },
  });
  const profile: SandboxProfile = {
    read: [workspace],
    write: [],
    guarded: [],
    hidden: [join(workspace, "hidden")],
    hosts: [],
    environment: { PATH: "/usr/bin:/bin", FROM_SANDBOX: "yes" },
    cwd: workspace,
  };
  return guardedCommands(grant, {
    spawner,
    sandbox,
    sidecar,
    sandboxProfileFor: () => Promise.resolve(profile),
    parse: (line) =>
      Promise.resolve(
        line.includes("$")
          ? { plain: false, reason: "it expands", commands: [] }
          : {
              plain: true,
              commands: line.split(" && ").map((one) => ({ argv: one.split(" "), redirects: [] })),
            },
      ),
    limits,
  });
}

function run(command: Command, limits?: CommandLimits): Promise<CommandOutcome> {
  return commands(limits).run({ keepBytes: 100_000, ...command });
}

async function outputOf(command: Command): Promise<string> {
  return Buffer.from((await run(command)).output?.head ?? []).toString();
}

async function leftFiles(): Promise<readonly string[]> {
  return (await readdir(sidecar.folder)).filter((name) => !name.startsWith("live-"));
}

test("an argv is run as it is; the exit code and signals are data", async () => {
  expect(await outputOf({ argv: ["printf", "%s|", "a b", "$HOME", "*"] })).toBe("a b|$HOME|*|");
  expect(asked).toEqual([shellRun(["printf", "%s|", "a b", "$HOME", "*"])]);
  expect(await run({ line: "exit 3" })).toMatchObject({ exitCode: 3 });
  expect(await run({ line: "kill -9 $$" })).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  expect(done).toBe(3);
});

test("a line is run by bash that reads no files of its own", async () => {
  expect(await outputOf({ line: "echo $0 $- && echo more" })).toBe("/usr/bin/bash hBc\nmore\n");
});

test("[C67] what runs is what was evaluated: each command of a line is checked against the grant", async () => {
  const granted = [shellRun(["echo", "one"])];
  const some = commands({}, granted);
  expect(await some.run({ line: "echo one" })).toEqual({ exitCode: 0 });
  await expect(some.run({ line: "echo one && git push" })).rejects.toMatchObject({ code: "out_of_scope" });
  await expect(some.run({ line: "echo $x" })).rejects.toMatchObject({ message: "shell.dynamic is outside" });
  await expect(some.run({ argv: ["echo", "two"] })).rejects.toMatchObject({ code: "out_of_scope" });
  expect(sandboxed).toHaveLength(1);
  asked = [];
  await run({ line: "git push" }).catch(() => {});
  expect(asked.map(({ capability }) => capability)).toEqual(["shell.run", "git.push"]);
});

test("leaving the sandbox must have been resolved, for exactly this command", async () => {
  const argv = ["echo", "out"] as const;
  const granted = [shellRun(argv), effect("sandbox.leave", "echo out")];
  expect(await commands({}, granted).run({ argv, outside: true })).toEqual({ exitCode: 0 });
  expect(sandboxed).toEqual([]);
  await expect(commands({}, [shellRun(argv)]).run({ argv, outside: true })).rejects.toMatchObject({
    message: "sandbox.leave is outside",
  });
});

describe("what is given is checked again", () => {
  test.each<[string, Command]>([
    ["a NUL in an argument", { argv: ["echo", "a\0b"] }],
    ["a NUL in a line", { line: "echo a\0b" }],
    ["half a character", { argv: ["echo", "\ud800"] }],
    ["an invalid name", { argv: ["env"], env: { "A=B": "x" } }],
    ["a NUL in a value", { argv: ["env"], env: { CI: "x\0y" } }],
    ["a folder that is not absolute", { argv: ["pwd"], cwd: "." }],
    ["a folder outside", { argv: ["pwd"], cwd: "/" }],
  ])("[C69] %s is refused", async (_what, command) => {
    await expect(run(command)).rejects.toMatchObject({ code: "out_of_scope" });
  });

  test("what is too long", async () => {
    await expect(run({ argv: ["echo", "x".repeat(200_000)] })).rejects.toMatchObject({ code: "too_large" });
    await expect(run({ argv: ["cat"], stdin: "12345" }, { inputBytes: 4 })).rejects.toMatchObject({
      code: "too_large",
    });
  });

  test("a folder that is hidden, leads out or does not exist", async () => {
    await symlink("/", join(workspace, "link"));
    await mkdir(`${workspace}-sibling`);
    for (const cwd of [join(workspace, "hidden"), join(workspace, "link"), `${workspace}-sibling`])
      await expect(run({ argv: ["pwd"], cwd }), cwd).rejects.toMatchObject({ code: "out_of_scope" });
    for (const cwd of [join(workspace, "none"), "/etc/passwd"])
      await expect(run({ argv: ["pwd"], cwd }), cwd).rejects.toMatchObject({ code: "not_found" });
    expect(await outputOf({ argv: ["pwd"] })).toBe(`${workspace}\n`);
    await expect(run({ argv: ["pwd"], cwd: "/", outside: true })).rejects.toMatchObject({
      code: "out_of_scope",
    });
  });
});

test("[C68] a command sees what its sandbox gives and what its tool declared", async () => {
  const granted = [shellRun(["env"]), envRead("MY_TOKEN")];
  const some = commands({}, granted);
  const { output } = await some.run({ argv: ["env"], env: { MY_TOKEN: "1" }, keepBytes: 10_000 });
  const names = Buffer.from(output?.head ?? [])
    .toString()
    .match(/^\w+/gm);
  expect(names?.toSorted()).toEqual(["FROM_SANDBOX", "MY_TOKEN", "PATH", "TOOLKEEP_COMMAND"]);
  await expect(some.run({ argv: ["env"], env: { OTHER_TOKEN: "1" } })).rejects.toMatchObject({
    code: "out_of_scope",
  });
});

test("input is read to its end; without any there is none", async () => {
  const stdin = "line\n".repeat(100_000);
  expect(await outputOf({ argv: ["wc", "-c"], stdin })).toBe(`${stdin.length}\n`);
  expect(await outputOf({ argv: ["cat"] })).toBe("");
  expect(await leftFiles()).toEqual([]);
});

test("[C109] the head is kept, and where the whole is if there is more", async () => {
  const { output } = await commands().run({ argv: ["seq", "10000"], keepBytes: 10 });
  expect(output).toMatchObject({ head: new TextEncoder().encode("1\n2\n3\n4\n5\n"), size: 48_894 });
  const whole = await sidecar.read(output?.path ?? "");
  expect(whole?.length).toBe(48_894);
  expect(await commands().run({ argv: ["echo", "all"], keepBytes: 10 })).toEqual({
    exitCode: 0,
    output: { head: new TextEncoder().encode("all\n"), size: 4 },
  });
  expect(await commands().run({ argv: ["echo", "it is not wanted"] })).toEqual({ exitCode: 0 });
  expect(await leftFiles()).toHaveLength(1);
});

test("what is read back later has no secrets in it", async () => {
  const { output } = await run({ line: `seq 20000 && echo ${TOKEN}` });
  const whole = Buffer.from((await sidecar.read(output?.path ?? "")) ?? []).toString();
  expect(whole).toMatch(/20000\n\[redacted:github-token\]\n$/);
});

test("output comes as it is written, in order, and no faster than it is taken", async () => {
  const chunks: { text: string; at: number }[] = [];
  let taking = 0;
  const begun = performance.now();
  await run({
    line: "for i in 1 2 3; do echo out $i; echo err $i >&2; sleep 0.15; done; seq 100000",
    async onOutput(chunk) {
      expect(++taking).toBe(1);
      await pause(5);
      taking -= 1;
      chunks.push({ text: Buffer.from(chunk).toString(), at: performance.now() - begun });
    },
  });
  const whole = chunks.map(({ text }) => text).join("");
  const numbers = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join("");
  expect(whole).toBe(`out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n${numbers}`);
  expect((chunks.at(-1)?.at ?? 0) - (chunks[0]?.at ?? 0)).toBeGreaterThan(200);
});

test("a reader that cannot take the output ends the command", async () => {
  const begun = performance.now();
  await expect(
    run({
      line: "echo x; sleep 100 $y",
      onOutput() {
        throw new Error("full");
      },
    }),
  ).rejects.toThrow("full");
  expect(performance.now() - begun).toBeLessThan(60_000);
  expect(done).toBe(1);
});

test("a command that writes too much is ended, with the reason", async () => {
  const { stopped, output } = await run({ argv: ["yes"] }, { outputBytes: 1_000_000 });
  expect(stopped).toBe("It wrote more than 1000000 bytes and was ended.");
  expect(output?.size).toBe(1_000_000);
});

test.each([
  ["cancelled", "cancelled"],
  ["timed_out", "timed_out"],
])("[C98] a call that is %s ends its command, also when its output is not taken", async (reason, code) => {
  const running = run({ line: "echo x; trap '' TERM; sleep 100 $y", onOutput: () => new Promise(() => {}) });
  setTimeout(() => controller.abort(reason), 150);
  const begun = performance.now();
  await expect(running).rejects.toMatchObject({ code });
  expect(performance.now() - begun).toBeLessThan(60_000);
  expect(done).toBe(1);
  expect(await leftFiles()).toEqual([]);
  await expect(run({ argv: ["true"] })).rejects.toMatchObject({ code });
});

test("a missing program is a failure, and nothing is left of it", async () => {
  await expect(run({ argv: ["no-such-program"], stdin: "x" })).rejects.toMatchObject({ code: "not_found" });
  expect(done).toBe(1);
  expect(await leftFiles()).toEqual([]);
});
