import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliBench, cliBench, OWN_COMMAND, runProgram } from "./cli-bench.ts";
import { bashPayload, readPayload } from "./decider-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

/** Writes the address of each module that is loaded to standard error. */
const WATCH = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from "node:module";
import { writeSync } from "node:fs";
registerHooks({
  load(url, context, next) {
    writeSync(2, "loaded " + url + "\\n");
    return next(url, context);
  },
});
`)}`;

/** The modules that a run of the program loads. */
async function loadedBy(args: readonly string[], stdin = ""): Promise<readonly string[]> {
  const [node, program] = OWN_COMMAND;
  const env = { ...bench.environment, CLAUDE_PROJECT_DIR: bench.project };
  const run = await runProgram([node, "--import", WATCH, program, ...args], {
    ...{ stdin, env, cwd: bench.project },
  });
  expect(run.code).toBe(0);
  return [...run.stderr.matchAll(/^loaded (\S+)$/gm)].map(([, url = ""]) => url);
}

const NOT_NEEDED =
  /\/node_modules\/(undici|ajv|ajv-formats|yaml|smol-toml|zod|commander|@modelcontextprotocol)\//;
const HEAVY = ["node:http", "node:https", "node:tls", "node:readline", "node:test"];

test.each([
  ["a command", () => bashPayload(bench, "git status")],
  ["a read", () => readPayload(bench, `${bench.project}/src/a.ts`)],
])(
  "a hook that decides in process about %s loads no network, no schema compiler and no parser of policy files",
  async (_, payload) => {
    const loaded = await loadedBy(["hook", "claude-code"], JSON.stringify(payload()));
    expect(loaded.filter((url) => NOT_NEEDED.test(url))).toEqual([]);
    expect(loaded.filter((url) => HEAVY.includes(url))).toEqual([]);
    // The others are taken by name, so that what they have besides is not loaded.
    expect(loaded.filter((url) => url.startsWith("node:")).toSorted()).toEqual(["node:os", "node:path"]);
    expect(loaded.filter((url) => !url.startsWith("node:")).length).toBeLessThan(80);
  },
);

test("the parser of command lines is loaded for a command line alone", async () => {
  const isParser = (url: string) => url.includes("/node_modules/unbash/");
  const loadedByHook = (payload: object) => loadedBy(["hook", "claude-code"], JSON.stringify(payload));
  expect((await loadedByHook(bashPayload(bench, "git status"))).some(isParser)).toBe(true);
  expect((await loadedByHook(readPayload(bench, `${bench.project}/src/a.ts`))).some(isParser)).toBe(false);
  expect((await loadedBy(["tools"])).some(isParser)).toBe(false);
});

test("the version is shown without any command", async () => {
  for (const option of ["--version", "-V"]) {
    const loaded = await loadedBy([option]);
    expect(loaded.filter((url) => url.startsWith("file:")).length).toBeLessThan(15);
  }
  const { stdout } = await bench.run(["--version"]);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("the help of the program loads no command and no library, and that of a command not its work", async () => {
  const loaded = await loadedBy(["--help"]);
  expect(loaded.filter((url) => url.startsWith("file:")).length).toBeLessThan(15);
  expect(loaded.filter((url) => NOT_NEEDED.test(url))).toEqual([]);
  for (const command of ["policy", "sessions"]) {
    const ofCommand = await loadedBy([command, "--help"]);
    expect(ofCommand.filter((url) => url.includes("loaded-together"))).toEqual([]);
  }
});
