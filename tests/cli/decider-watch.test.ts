import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { removedHooksNote } from "../../packages/cli/src/clients/installed/removed-hooks.ts";
import { bashPayload, type DeciderBench, deciderBench, readPayload } from "./decider-bench.ts";

let bench: DeciderBench;
beforeEach(() => {
  bench = deciderBench();
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

const settings = () => join(bench.project, ".claude/settings.local.json");
const env = () => ({ ...bench.hookEnvironment, TOOLKEEP_DECIDER: "" });

async function installed(client = "claude-code", project = bench.project): Promise<void> {
  const { code, stderr } = await bench.runHere(["init", client, "--yes", "--project", project]);
  expect(code, stderr).toBe(0);
}

const hook = () => bench.hook(readPayload(bench, join(bench.project, "src/a.ts")));

/** Hooks of the project, so that a decider runs and knows of it. */
async function asked(): Promise<void> {
  expect(await hook()).toMatchObject({ code: 0 });
  await bench.untilDeciders(1);
  expect(await hook()).toMatchObject({ code: 0 });
}

interface Logged {
  readonly tool: string;
  readonly decision: string;
  readonly effects: readonly string[];
}

/** What the decider noticed, once it is as much as this or the time is over. */
async function noticed({ count = 1, ms = 60_000 } = {}): Promise<readonly Logged[]> {
  for (const until = Date.now() + ms; ; await wait(500)) {
    const { stdout } = await bench.runHere(["log", "--json", "--quiet"]);
    const found = (JSON.parse(stdout) as Logged[]).filter(({ decision }) => decision === "noticed");
    if (found.length >= count || Date.now() > until) return found;
    // A decider that was too busy for the first hooks does not know of the project yet.
    await hook();
  }
}

/** How settings are replaced. */
const REWRITES: Readonly<Record<string, (file: string, text: string) => unknown>> = {
  "without-our-entry": (file) => writeFileSync(file, '{ "permissions": { "allow": ["Bash"] } }'),
  "by-nothing": (file) => rmSync(file),
  "by-a-folder": (file) => [rmSync(file), mkdirSync(file)],
  "by-a-pipe": (file) => [rmSync(file), execFileSync("mkfifo", [file])],
  "by-text-that-is-not-JSON": (file, text) => writeFileSync(file, `${text}}`),
  "with-another-command": (file, text) => writeFileSync(file, text.replaceAll("exit 2", "true")),
  "with-hooks-switched-off": (file, text) =>
    writeFileSync(file, text.replace("{", '{ "disableAllHooks": true,')),
};

describe("hooks that are removed without `uninstall`", () => {
  test("are reported, however the settings are replaced", async () => {
    const projects = Object.keys(REWRITES).map((name) => join(bench.base, name));
    for (const project of projects) {
      mkdirSync(join(project, ".git"), { recursive: true });
      await installed("claude-code", project);
    }
    await asked();
    const files = projects.map((project) => join(project, ".claude/settings.local.json"));
    for (const [index, rewrite] of Object.values(REWRITES).entries()) {
      const file = files[index] ?? "";
      rewrite(file, readFileSync(file, "utf8"));
    }
    const found = await noticed({ count: projects.length });
    expect(found.map(({ tool, effects }) => [tool, ...effects]).toSorted()).toEqual(
      projects
        .map((project, index) => [
          "hooks_removed",
          `toolkeep.hooks claude-code in ${project}: ${files[index]}`,
        ])
        .toSorted(),
    );
    // The decider is not held up by what it looks at.
    await asked();
  });

  test("are named by the next command and the next question in another project, until the user looks after it", async () => {
    const other = join(bench.base, "other");
    mkdirSync(join(other, ".git"), { recursive: true });
    await installed();
    await asked();
    rmSync(settings());
    expect(await noticed()).toHaveLength(1);
    const warning = `the hooks of claude-code in ${bench.project} were removed, changed or switched off`;
    expect((await bench.runHere(["log"])).stdout).toContain("noticed by the decider");
    expect((await bench.runHere(["approvals"])).stderr).toContain(warning);
    const push = { ...bashPayload(bench, "git push", "two"), cwd: other };
    const question = async () =>
      (await bench.hook(push, { cwd: other, env: { CLAUDE_PROJECT_DIR: other } })).stdout;
    expect(await question()).toContain(warning);
    const [, uninstall = "", install = ""] =
      /Run `toolkeep (uninstall [^`]+)`, then `toolkeep (install [^`]+)`/.exec(await question()) ?? [];
    for (const command of [uninstall, install])
      expect(await bench.runHere([...command.split(" "), "--yes"])).toMatchObject({ code: 0 });
    expect(readFileSync(settings(), "utf8")).toContain("PreToolUse");
    expect((await bench.runHere(["approvals"])).stderr).not.toContain(warning);
    expect(await question()).not.toContain(warning);
  });

  test("are reported where another client of the user keeps the decider running", async () => {
    const other = join(bench.base, "other");
    mkdirSync(join(other, ".git"), { recursive: true });
    await installed("cursor", other);
    // The decider that knew of the project was killed first.
    rmSync(join(other, ".cursor/hooks.json"));
    await asked();
    expect(await noticed()).toEqual([
      expect.objectContaining({
        effects: [`toolkeep.hooks cursor in ${other}: ${join(other, ".cursor/hooks.json")}`],
      }),
    ]);
  });

  test("are not reported by `uninstall`, by an installation again, and by other changes of the file", async () => {
    await installed();
    await asked();
    const text = readFileSync(settings(), "utf8");
    writeFileSync(settings(), text.replace("{", '{ "model": "opus",'));
    await wait(5_000);
    await installed();
    const { code } = await bench.runHere(["uninstall", "claude-code", "--yes"]);
    expect(code).toBe(0);
    expect(await noticed({ ms: 8_000 })).toEqual([]);
    expect((await bench.runHere(["approvals"], { env: env() })).stderr).not.toContain("removed");
  });
});

test("a file of notices that this program did not write says nothing, and a long name cannot hide the words", async () => {
  vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
  const state = join(bench.environment.TOOLKEEP_HOME, "state");
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const file = join(state, "removed-hooks.json");
  const said = (removed: unknown, mode = 0o600) => {
    writeFileSync(file, JSON.stringify({ version: 1, removed }));
    chmodSync(file, mode);
    return removedHooksNote();
  };
  const one = { client: "cursor", project: "/p", file: "/p/x", at: 1 };
  expect(await said([one])).toContain("the hooks of cursor in /p");
  expect(await said([one], 0o666)).toBeUndefined();
  for (const value of [null, [null], [{ ...one, client: "evil" }], [{ ...one, at: "x" }], "x"])
    expect(await said(value)).toBeUndefined();
  const odd = (await said([{ ...one, project: `/p\u001b[2J\n${"x".repeat(4_000)}` }])) ?? "";
  expect(odd).toContain("Warning: the hooks of cursor");
  expect(odd).not.toMatch(/\p{Cc}/u);
  expect(odd.length).toBeLessThan(1_000);
});
