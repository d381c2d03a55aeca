import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { launcherPath, writeLauncher } from "../../packages/cli/src/clients/installed/launcher.ts";
import { type CliBench, cliBench, OWN_COMMAND, runProgram } from "./cli-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

const [NODE, MAIN] = OWN_COMMAND;
const inBase = (...path: readonly string[]) => join(bench.base, ...path);

function put(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}

/** A Node.js that is in a folder. */
function node(...folder: readonly string[]): string {
  const path = inBase(...folder);
  mkdirSync(path, { recursive: true });
  symlinkSync(NODE, join(path, "node"));
  return path;
}

const start = (args: readonly string[], path = "/nowhere", stdin = "") =>
  runProgram([launcherPath(), ...args], {
    cwd: bench.project,
    env: { ...bench.environment, PATH: path },
    stdin,
  });
const gone = () => inBase("versions", "v24.1.0", "bin", "node");
/** Answers with its arguments and its input. */
const ECHO = `process.stdout.write(process.argv.slice(2).join(" ")); process.stdin.pipe(process.stdout);`;

describe("the launcher of an installation", () => {
  test("starts the program that it was installed with, from any directory and with any PATH", async () => {
    await writeLauncher([NODE, MAIN]);
    expect(await start(["--version"])).toMatchObject({ code: 0, stderr: "" });
  });

  test("starts it with the Node.js in PATH if the other one was removed, and passes on the input", async () => {
    await writeLauncher([gone(), put(inBase("it's/main.js"), ECHO)]);
    const path = `relative:${node("other one")}`;
    expect(await start(["hook", "a b"], path, '{"x":1}')).toMatchObject({
      code: 0,
      stdout: 'hook a b{"x":1}',
    });
  });

  test("starts it with another version of the version manager", async () => {
    await writeLauncher([gone(), put(inBase("main.js"), ECHO)]);
    node("versions", "v24.2.0", "bin");
    expect(await start(["x"])).toMatchObject({ code: 0, stdout: "x" });
  });

  test("starts the program that was installed with another version", async () => {
    await writeLauncher([gone(), inBase("versions/v24.1.0/lib/node_modules/toolkeep/dist/main.js")]);
    node("versions", "v24.2.0", "bin");
    put(inBase("versions/v24.2.0/lib/node_modules/toolkeep/dist/main.js"), ECHO);
    expect(await start(["x"])).toMatchObject({ code: 0, stdout: "x" });
  });

  test("blocks if nothing can start it, and says what to type", async () => {
    await writeLauncher([gone(), inBase("gone.js")]);
    const outcome = await start(["hook", "claude-code"], node("empty"));
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain("`npm install -g toolkeep`");
  });

  test.each([
    ["cut off", 'const half = "'],
    ["missing a part", 'import "./gone.js";'],
    ["of an error", "process.exit(70);"],
  ])("blocks if the program ends before it decided, and says what to type: %s", async (_name, text) => {
    await writeLauncher([NODE, put(inBase("broken/main.mjs"), text)]);
    const outcome = await start(["hook", "claude-code"]);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain("`npm install -g toolkeep`");
  });

  test("starts nothing that is in the project, and no Node.js that is too old", async () => {
    await writeLauncher([gone(), inBase("gone.js")]);
    const marker = inBase("started");
    const evil = `#!/bin/sh\ncase $1 in -e) exit 0;; esac\ntouch ${marker}\n`;
    const folders = ["bin", "node_modules/.bin"].map((one) =>
      dirname(bench.write(`${one}/node`, evil, 0o755)),
    );
    const old = dirname(put(inBase("old/bin/node"), evil.replace("exit 0", "exit 1")));
    for (const base of [bench.project, inBase("old")])
      put(join(base, "lib/node_modules/toolkeep/dist/main.js"), ECHO);
    expect(await start(["x"], [...folders, old, "bin", "."].join(":"))).toMatchObject({ code: 2 });
    expect(existsSync(marker)).toBe(false);
  });

  test.each([
    ["NODE_OPTIONS", (evil: string) => ({ NODE_OPTIONS: `--import ${evil}` })],
    ["NODE_OPTIONS with --require", (evil: string) => ({ NODE_OPTIONS: `--require ${evil}` })],
    [
      "NODE_PATH and others",
      (evil: string) => ({ NODE_PATH: dirname(evil), NODE_COMPILE_CACHE: dirname(evil) }),
    ],
    ["a function in the place of a built-in", () => ({ "BASH_FUNC_[%%": "() { echo evil; exit 0; }" })],
    ["a function in the place of another", () => ({ "BASH_FUNC_exec%%": "() { echo evil; exit 0; }" })],
  ])("runs nothing that the environment names: %s", async (_name, env) => {
    const evil = bench.write("evil.cjs", `process.stdout.write("evil"); process.exit(0);`);
    const shown = put(
      inBase("main.js"),
      `process.stdout.write(Object.keys(process.env).filter((name) => /^NODE_/.test(name)).join());`,
    );
    await writeLauncher([NODE, shown]);
    const environment = { ...bench.environment, ...env(evil) };
    // The shell of some systems, which takes functions from the environment.
    symlinkSync("/bin/bash", inBase("sh"));
    for (const shell of [[], [inBase("sh")].filter(() => existsSync("/bin/bash"))]) {
      const outcome = await runProgram([...shell, launcherPath()], { cwd: bench.project, env: environment });
      expect(outcome).toEqual({ code: 0, stdout: "", stderr: "" });
    }
  });

  test("is the same for all projects, so installing once repairs all of them", async () => {
    expect(await bench.run(["init", "claude-code", "--yes"])).toMatchObject({ code: 0 });
    await writeLauncher([gone(), inBase("gone.js")]);
    expect(await bench.run(["init", "claude-code"])).toMatchObject({ code: 0 });
    expect(readFileSync(launcherPath(), "utf8")).toContain(MAIN);
    expect(await start(["--version"])).toMatchObject({ code: 0 });
  });
});

test("the projects where it is installed are listed", async () => {
  await bench.run(["init", "claude-code", "--yes"]);
  await bench.run(["init", "cursor", "--yes"]);
  expect((await bench.run(["init", "--list"])).stdout).toBe(`${bench.project}: claude-code, cursor\n`);
  const listed = JSON.parse((await bench.run(["init", "--list", "--json"])).stdout);
  expect(listed).toEqual([
    expect.objectContaining({ project: bench.project, client: "claude-code", exists: true }),
    expect.objectContaining({ project: bench.project, client: "cursor", exists: true }),
  ]);
  await bench.run(["uninstall", "cursor", "--yes"]);
  expect((await bench.run(["init", "--list"])).stdout).toBe(`${bench.project}: claude-code\n`);
});

describe("the line of a hook whose launcher this user cannot start blocks, and says how to get out", () => {
  const FILES = { "claude-code": ".claude/settings.local.json", cursor: ".cursor/hooks.json" } as const;
  /** The shell's error is the same for a file of another user and for one that has no right to be started. */
  const BROKEN = {
    "of another user": (launcher: string) => chmodSync(launcher, 0o600),
    "behind a folder of another user": (launcher: string) => {
      rmSync(dirname(launcher), { recursive: true });
      writeFileSync(dirname(launcher), "");
    },
    "that is gone": (launcher: string) => rmSync(launcher),
  };
  const cases = (["claude-code", "cursor"] as const).flatMap((client) =>
    Object.entries(BROKEN).map(([name, brk]) => ({ client, name, brk })),
  );
  test.each(cases)("$client, a launcher $name", async ({ client, brk }) => {
    expect(await bench.runHere(["init", client, "--yes"])).toMatchObject({ code: 0 });
    const text = readFileSync(join(bench.project, FILES[client]), "utf8");
    const line = JSON.parse(`"${/"command": "(\/bin\/sh .*)"/.exec(text)?.[1]}"`);
    brk(launcherPath());
    for (const shell of ["sh", "bash", "zsh", "fish"]) {
      const functions = { "BASH_FUNC_echo%%": "() { exit 0; }", "BASH_FUNC_[%%": "() { exit 0; }" };
      const env = { ...bench.environment, ...(shell === "sh" ? functions : {}) };
      const outcome = await runProgram([`/usr/bin/${shell}`, "-c", line], {
        cwd: bench.project,
        env,
        stdin: "{}",
      });
      expect([shell, outcome]).toMatchObject([shell, { code: 2, stdout: "" }]);
      expect(outcome.stderr).toContain("Other users of a shared folder clone the project");
    }
  });
});
