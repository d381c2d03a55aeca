import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { opencodePlugin } from "../../packages/cli/src/clients/opencode-plugin.ts";
import { type CliBench, cliBench, runProgram } from "./cli-bench.ts";
import { payloadsOf } from "./payloads.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

const folder = () => join(bench.home, ".config/opencode/plugins");

/** Does what opencode does with a plugin: loads it, and calls the hook with arguments that the plugin may change. */
const CLIENT = `
const [file, directory, text] = process.argv.slice(1);
const { sessionID, callID, tool, args, ...event } = JSON.parse(text);
const hooks = await Object.values(await import(file))[0]({ directory });
await hooks.event?.({ event: { type: "session.created", properties: { info: { id: sessionID, parentID: "root" } } } });
const output = { args };
try {
  await hooks["tool.execute.before"]?.({ tool, sessionID, callID }, output);
  console.log(JSON.stringify({ ran: output.args }));
} catch (error) {
  console.log(JSON.stringify({ refused: error.message }));
}`;

async function called(file: string, payload: object, directory = bench.project) {
  const argv = [
    process.execPath,
    "--input-type=module",
    "-e",
    CLIENT,
    "--",
    file,
    directory,
    JSON.stringify(payload),
  ];
  const { stdout, stderr } = await runProgram(argv, { env: bench.environment, cwd: bench.home });
  expect(stderr.replaceAll(/^.*(?:Warning|--trace-warnings|Reparsing|eliminate).*\n/gm, "")).toBe("");
  return JSON.parse(stdout) as { readonly ran?: object; readonly refused?: string };
}

/** The plugin with another program in the place of ours, which answers with this script. */
function pluginWith(script: string): string {
  const program = join(bench.base, "program");
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  const file = join(bench.base, "plugin.mjs");
  writeFileSync(file, opencodePlugin([program], bench.project));
  return file;
}

describe("the plugin for opencode", () => {
  const payload = () => payloadsOf("opencode", bench)["shell"] as { readonly args: object };

  test("lets a call pass, refuses it, or changes its command", async () => {
    const { args } = payload();
    expect(await called(pluginWith(`cat > ${bench.base}/got; echo '{"action":"none"}'`), payload())).toEqual({
      ran: args,
    });
    expect(JSON.parse(readFileSync(join(bench.base, "got"), "utf8"))).toEqual({
      ...payload(),
      rootID: "root",
    });
    const denying = pluginWith(`echo '{"action":"deny","reason":"no: é"}'`);
    expect(await called(denying, payload())).toEqual({ refused: "no: é" });
    const replacing = pluginWith(`echo '{"action":"replace","args":{"command":"true"}}'`);
    expect(await called(replacing, payload())).toEqual({ ran: { ...args, command: "true" } });
  });

  test.each([
    ["ends with an error", 'echo \'{"action":"none"}\'; exit 1'],
    ["blocks", "echo no >&2; exit 2"],
    ["is killed", "kill -9 $$"],
    ["says nothing", "true"],
    ["says something else", "echo ok"],
    ["gives half an answer", `printf '{"action":"no'`],
    ["gives an unknown answer", `echo '{"action":"allow"}'`],
    ["denies without a reason", `echo '{"action":"deny"}'`],
    ["replaces nothing", `echo '{"action":"replace"}'`],
    ["answers null", "echo null"],
  ])("refuses the call if the program %s", async (_, script) => {
    expect(await called(pluginWith(script), payload())).toEqual({ refused: expect.stringMatching(/./) });
  });

  test("refuses the call if the program or the folder is gone", async () => {
    const file = pluginWith("true");
    expect(await called(file, payload(), join(bench.project, "gone"))).toHaveProperty("refused");
    rmSync(join(bench.base, "program"));
    const { refused } = await called(file, payload());
    expect(refused).toContain("toolkeep init opencode");
  });

  test("does nothing in other folders", async () => {
    const file = pluginWith("exit 2");
    const sibling = `${bench.project}-2`;
    mkdirSync(sibling);
    for (const one of [bench.home, bench.base, sibling])
      expect(await called(file, payload(), one)).toEqual({ ran: payload().args });
    expect(await called(file, payload(), join(bench.project, "src"))).toHaveProperty("refused");
  });
});

test("an installation for opencode decides, and is undone byte for byte", async () => {
  const before = [snapshotOf(bench.project), snapshotOf(bench.home)];
  const installed = await bench.run(["init", "opencode", "--yes"]);
  expect(installed.code, installed.stderr).toBe(0);
  expect(installed.stderr).toContain("cannot ask");
  expect(snapshotOf(bench.project)).toEqual(before[0]);
  const [name = ""] = readdirSync(folder());
  const { read, write } = payloadsOf("opencode", bench);
  const file = join(folder(), name);
  expect(await called(file, read ?? {})).toHaveProperty("ran");
  const denied = { ...write, args: { filePath: join(bench.project, ".git/config"), content: "x" } };
  expect((await called(file, denied)).refused).toContain("Only git may change files");
  expect((await bench.run(["uninstall", "opencode", "--yes"])).code).toBe(0);
  expect(existsSync(join(bench.home, ".config"))).toBe(false);
  expect([snapshotOf(bench.project), snapshotOf(bench.home)]).toEqual(before);
});
