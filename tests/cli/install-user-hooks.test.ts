import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliBench, cliBench, runProgram } from "./cli-bench.ts";
import { git, initGit } from "./git-project.ts";
import { writeHome } from "./hook-bench.ts";
import { payloadsOf } from "./payloads.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  initGit(bench);
});
afterEach(() => bench.remove());

const both = () => [snapshotOf(bench.project), snapshotOf(bench.home)];
const hooks = () => join(bench.home, ".copilot/hooks");

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const outcome = await bench.runHere([...args, "--yes"], { env });
  expect(outcome.code, outcome.stderr).toBe(0);
  return outcome;
}

interface HookFile {
  readonly version: number;
  readonly hooks: Readonly<
    Record<string, readonly { readonly type: string; readonly bash: string; readonly timeoutSec: number }[]>
  >;
}

function installed(folder = hooks()): HookFile {
  const [name = "", ...others] = readdirSync(folder).filter((one) => one.startsWith("toolkeep-"));
  expect(others).toEqual([]);
  return JSON.parse(readFileSync(join(folder, name), "utf8")) as HookFile;
}

/** Runs the hook as the client does. */
function fired(payload: unknown, cwd = bench.project) {
  const [entry] = installed().hooks["preToolUse"] ?? [];
  const env = { ...bench.environment, COPILOT_CLI: "1", COPILOT_PROJECT_DIR: cwd };
  return runProgram(["bash", "-c", entry?.bash ?? ""], { stdin: JSON.stringify(payload), env, cwd });
}

describe("installing for Copilot CLI", () => {
  test("writes one file of the user, nothing into the project, and is undone byte for byte", async () => {
    writeHome(bench, ".copilot/hooks/mine.json", '{"version":1,"hooks":{}}');
    const before = both();
    await run(["init", "copilot"]);
    expect(git(bench, "status", "--porcelain")).toBe("");
    expect(both()[0]).toEqual(before[0]);
    expect(installed()).toMatchObject({
      version: 1,
      hooks: { preToolUse: [{ type: "command", timeoutSec: 30 }] },
    });
    expect((await bench.runHere(["init", "copilot"])).stdout).toContain("already");
    await run(["uninstall", "copilot"]);
    expect(both()).toEqual(before);
  });

  test("makes and removes the folders of a client that was never started", async () => {
    const before = both();
    await run(["init", "copilot"]);
    await run(["uninstall", "copilot"]);
    expect(both()).toEqual(before);
  });

  test("writes where the client looks for the user's files", async () => {
    const other = join(bench.base, "elsewhere");
    await run(["init", "copilot"], { COPILOT_HOME: other });
    expect(existsSync(hooks())).toBe(false);
    expect(installed(join(other, "hooks")).version).toBe(1);
    await run(["uninstall", "copilot"], { COPILOT_HOME: other });
    expect(existsSync(other)).toBe(false);
  });

  test("has one file for each project", async () => {
    const second = join(bench.base, "second");
    mkdirSync(second);
    await run(["init", "copilot"]);
    await run(["init", "copilot", "--project", second]);
    expect(readdirSync(hooks())).toHaveLength(2);
    await run(["uninstall", "copilot"]);
    const text = readFileSync(join(hooks(), readdirSync(hooks())[0] ?? ""), "utf8");
    expect([text.includes(second), text.includes(bench.project)]).toEqual([true, false]);
    await run(["uninstall", "copilot", "--project", second]);
    expect(readdirSync(hooks())).toEqual([]);
  });

  test("leaves an edited file to the user, and says so", async () => {
    await run(["init", "copilot"]);
    const file = join(hooks(), readdirSync(hooks())[0] ?? "");
    writeFileSync(file, `${readFileSync(file, "utf8")}\n`);
    const { stdout } = await run(["uninstall", "copilot"]);
    expect(stdout).toContain(`${file} was edited since. Remove it by hand.`);
    expect(existsSync(file)).toBe(true);
  });
});

describe("the installed hook of Copilot CLI", () => {
  test("decides in the project and its folders, and about nothing elsewhere", async () => {
    await run(["init", "copilot"]);
    const write = payloadsOf("copilot", bench)["write"] ?? {};
    const denied = { ...write, toolArgs: { path: join(bench.project, ".git/config"), file_text: "x" } };
    const link = join(bench.base, "link");
    symlinkSync(bench.project, link);
    for (const cwd of [bench.project, join(bench.project, "src"), link]) {
      const { stdout, code } = await fired({ ...denied, cwd }, cwd);
      expect([code, JSON.parse(stdout).permissionDecision]).toEqual([0, "deny"]);
    }
    const sibling = `${bench.project}-2`;
    mkdirSync(sibling);
    for (const cwd of [bench.home, bench.base, sibling])
      expect(await fired({ ...denied, cwd }, cwd)).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("blocks if the program is gone", async () => {
    await run(["init", "copilot"]);
    rmSync(join(bench.environment.TOOLKEEP_HOME, "state/bin/toolkeep"));
    const { code, stdout } = await fired(payloadsOf("copilot", bench)["write"]);
    expect([code === 0, stdout]).toEqual([false, ""]);
  });

  test("blocks if its input is not a payload", async () => {
    await run(["init", "copilot"]);
    for (const payload of [
      "x",
      {},
      [],
      { toolName: "bash" },
      { ...payloadsOf("copilot", bench)["write"], toolArgs: 1 },
    ])
      expect(await fired(payload)).toMatchObject({ code: 2, stdout: "" });
  });
});
