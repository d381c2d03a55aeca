import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspectHost, noSandbox } from "@toolkeep/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { launcherPath, writeLauncher } from "../../packages/cli/src/clients/installed/launcher.ts";
import { addRemovedHooks } from "../../packages/cli/src/clients/installed/removed-hooks.ts";
import { trustCommand } from "../../packages/cli/src/commands/trust.ts";
import { examine } from "../../packages/cli/src/install/doctor/examine.ts";
import { type CliBench, OWN_COMMAND } from "./cli-bench.ts";
import { doctorBench, install, removeBench, stops, working } from "./doctor-bench.ts";
import { writeHome, writePolicy } from "./hook-bench.ts";

let bench: CliBench;
beforeEach(async () => {
  bench = await doctorBench("claude-code", "codex");
});
afterEach(() => removeBench(bench));

const [NODE, MAIN] = OWN_COMMAND;
const SETTINGS = ".claude/settings.local.json";
const inState = (...path: readonly string[]) => join(bench.environment.TOOLKEEP_HOME, "state", ...path);
const inConfig = (name: string) => join(bench.environment.TOOLKEEP_HOME, "config", name);

function rewrite(path: string, change: (text: string) => string): void {
  const file = join(bench.project, path);
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

const POLICY = "version: 1\nrules:\n  - deny fs.read /secret/**\n";

interface Defect {
  readonly code: string;
  readonly severity: "gap" | "note";
  readonly who?: string;
  /** Before the defect, for one that needs something. */
  prepare?(): void | Promise<void>;
  plant(): void | Promise<void>;
}

const DEFECTS: Readonly<Record<string, Defect>> = {
  "hooks that were removed": {
    ...{ code: "hooks_removed", severity: "gap" },
    plant: () => rewrite(SETTINGS, () => "{}"),
  },
  "settings that are not JSON": {
    ...{ code: "hooks_invalid", severity: "gap" },
    plant: () => rewrite(SETTINGS, (text) => text.slice(1)),
  },
  "a time-out that is too short": {
    ...{ code: "hook_timeout", severity: "gap" },
    plant: () => rewrite(SETTINGS, (text) => text.replaceAll('"timeout": 30', '"timeout": 1')),
  },
  "hooks that match fewer tools": {
    ...{ code: "hooks_changed", severity: "gap" },
    plant: () => rewrite(".codex/hooks.json", (text) => text.replace('"matcher": "*"', '"matcher": "Edit"')),
  },
  "a program that was moved": {
    ...{ code: "program_moved", severity: "gap" },
    plant: () => writeLauncher([NODE, join(bench.base, "gone.js")]),
  },
  "Node.js that is gone": {
    ...{ code: "node_gone", severity: "gap" },
    plant: () => writeLauncher([join(bench.base, "gone", "node"), MAIN]),
  },
  "a launcher that is gone": {
    ...{ code: "launcher_missing", severity: "gap" },
    plant: () => rmSync(launcherPath()),
  },
  "a launcher that was changed": {
    ...{ code: "launcher_changed", severity: "gap" },
    plant: () => writeFileSync(launcherPath(), "#!/bin/sh\nexit 0\n"),
  },
  "a launcher that clears nothing": {
    ...{ code: "launcher_changed", severity: "gap" },
    plant: () => {
      const text = readFileSync(launcherPath(), "utf8");
      writeFileSync(launcherPath(), text.replace(/^unset NODE.*\n/m, ""));
    },
  },
  "an old version in the launcher": {
    ...{ code: "launcher_version", severity: "note" },
    plant: () => {
      const old = join(bench.base, "old.js");
      writeFileSync(old, 'console.log("0.0.9")');
      return writeLauncher([NODE, old]);
    },
  },
  "a client without hooks of ours": {
    ...{ code: "client_unguarded", severity: "gap" },
    plant: () => void mkdirSync(join(bench.project, ".cursor")),
  },
  "`disableAllHooks` of the user": {
    ...{ code: "hooks_off", severity: "gap", who: "you" },
    plant: () => void writeHome(bench, ".claude/settings.json", '{ "disableAllHooks": true }'),
  },
  "`disableAllHooks` of the project": {
    ...{ code: "hooks_off", severity: "gap", who: "project" },
    plant: () => void bench.write(".claude/settings.json", '{ "disableAllHooks": true }'),
  },
  "variables that choose another policy": {
    ...{ code: "hook_environment", severity: "gap", who: "project" },
    plant: () =>
      void bench.write(".claude/settings.json", '{ "env": { "TOOLKEEP_HOME": "/x", "FOO": "1" } }'),
  },
  "hooks that Codex does not trust": {
    ...{ code: "codex_hooks_untrusted", severity: "gap" },
    plant: () => void writeHome(bench, ".codex/config.toml", 'model = "x"\n'),
  },
  "a project that Codex does not trust": {
    ...{ code: "codex_project_untrusted", severity: "gap" },
    plant: () =>
      void writeHome(
        bench,
        ".codex/config.toml",
        `[projects."${bench.project}"]\ntrust_level = "untrusted"\n`,
      ),
  },
  "a policy that is invalid": {
    ...{ code: "policy_invalid", severity: "gap" },
    prepare: () => writePolicy(bench, POLICY),
    plant: () => writePolicy(bench, "rules: [nonsense here\n"),
  },
  "a deny that never matches": {
    ...{ code: "dead_rule", severity: "gap" },
    prepare: () => writePolicy(bench, POLICY),
    plant: () => writePolicy(bench, `${POLICY}  - deny web_fech\n`),
  },
  "an allow that a deny covers": {
    ...{ code: "dead_rule", severity: "note" },
    prepare: () => writePolicy(bench, POLICY),
    plant: () => writePolicy(bench, `${POLICY}  - allow fs.read /secret/a\n`),
  },
  "a policy that others may write": {
    ...{ code: "policy_writable", severity: "gap" },
    prepare: () => writePolicy(bench, POLICY),
    plant: () => chmodSync(inConfig("policy.yaml"), 0o666),
  },
  "a mode that stops nothing": {
    ...{ code: "mode_observe", severity: "gap" },
    prepare: () => writePolicy(bench, POLICY),
    plant: () => writePolicy(bench, `mode: observe\n${POLICY}`),
  },
  "a project that changed since it was trusted": {
    ...{ code: "project_changed", severity: "note" },
    prepare: async () => {
      bench.write(".toolkeep/config.jsonc", '{ "denied": ["web_fetch"] }');
      await trustCommand({ yes: true, quiet: true, cwd: bench.project });
    },
    plant: () => void bench.write(".toolkeep/config.jsonc", '{ "denied": [] }'),
  },
  "a store that cannot be written": {
    ...{ code: "store_unwritable", severity: "gap" },
    plant: () => {
      rmSync(inState("sessions"), { recursive: true, force: true });
      writeFileSync(inState("sessions"), "");
    },
  },
  "a folder of the decider that others can enter": {
    ...{ code: "decider_folder", severity: "note" },
    prepare: () => void mkdirSync(inState("run"), { recursive: true, mode: 0o700 }),
    plant: () => chmodSync(inState("run"), 0o755),
  },
  "a server that is not behind the gateway": {
    ...{ code: "server_outside", severity: "gap" },
    plant: () => void bench.write(".mcp.json", '{ "mcpServers": { "late": { "command": "false" } } }'),
  },
  "hooks that were removed in another project": {
    ...{ code: "hooks_removed_elsewhere", severity: "note" },
    plant: async () => {
      const removed = {
        client: "codex",
        project: "/elsewhere",
        file: "/elsewhere/.codex/hooks.json",
      } as const;
      await addRemovedHooks(inState(), { ...removed, at: Date.now() });
    },
  },
};

const examined = () => examine(bench.project, { play: stops, probe: working });

describe("doctor finds", () => {
  test.each(Object.entries(DEFECTS))("%s", async (_, { code, severity, who = "you", prepare, plant }) => {
    await prepare?.();
    const before = await examined();
    expect(before.findings.filter((one) => one.severity === "gap")).toEqual([]);
    expect(before.findings.map((one) => one.code)).not.toContain(code);
    expect(before.isLive).toBe(true);
    await plant();
    const { findings, isLive } = await examined();
    const found = findings.find((one) => one.code === code);
    expect(found, JSON.stringify(findings)).toMatchObject({ severity, who });
    expect(found?.fix).toMatch(/\S/);
    if (severity === "gap") expect(isLive).toBe(false);
  });

  test("a sandbox that is dead: a gap where commands are to run in it, a note elsewhere", async () => {
    // Nothing holds a command in it: every probe breaks out.
    const dead = () => inspectHost({ sandboxes: [noSandbox()] });
    const found = async () =>
      (await examine(bench.project, { play: stops, probe: dead })).findings.find(
        ({ code }) => code === "sandbox_dead",
      );
    expect(await found()).toMatchObject({ severity: "note", who: "administrator" });
    await install(bench, "opencode", true);
    expect(await found()).toMatchObject({ severity: "gap", message: expect.stringContaining("opencode") });
  });

  test("a hook that is late twice, and tries one that was late once again", async () => {
    const late = { outcome: "blocked", ms: 12_000, reason: "it took longer than 10 seconds." } as const;
    const answers = [late, await stops()];
    const isOnce = async () => answers.shift() ?? (await stops());
    const once = await examine(bench.project, { play: isOnce, probe: working });
    const twice = await examine(bench.project, { play: async () => late, probe: working });
    expect(once.findings.filter(({ code }) => code === "hook_blocks")).toEqual([]);
    expect(twice.findings).toContainEqual(
      expect.objectContaining({
        ...{ code: "hook_blocks", about: "claude-code" },
        fix: "Run `toolkeep doctor` again when the machine is idle.",
      }),
    );
  });

  test("a project without any client", async () => {
    const other = join(bench.base, "other");
    mkdirSync(join(other, ".git"), { recursive: true });
    const { findings } = await examine(other, { play: stops, probe: working });
    expect(findings).toContainEqual(expect.objectContaining({ code: "not_installed", severity: "gap" }));
  });
});
