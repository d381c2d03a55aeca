import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

const policy = (...args: string[]) => bench.runHere(["policy", ...args]);

const VALID = `version: 1
extends: [toolkeep:recommended]
rules:
  - allow fs.write "docs/**"
  - deny shell.run "terraform *" because "use the pipeline"
tests:
  - { write: docs/a.md, expect: allow }
  - { bash: terraform apply, expect: deny }
`;

describe("toolkeep policy check", () => {
  test("shows each error with its line and the fix, and fails", async () => {
    bench.write("policy.yaml", "version: 1\nrules:\n  - allow fs.wirte x\n  - deny\n");
    const { code, stdout } = await policy("check", "policy.yaml");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^policy\.yaml:3:\d+: error: .*fs\.wirte/m);
    expect(stdout).toMatch(/^ {2}fix: Write e\.g\. `deny fs\.read`/m);
    expect(stdout).toMatch(/^policy\.yaml:4:\d+: error: /m);
    expect(stdout).toContain("2 errors. The file decides nothing until they are fixed.");
  });

  test("passes a file with warnings, unless --strict is given", async () => {
    bench.write("policy.yaml", `${VALID}mode: yolo\n`);
    const { code, stdout } = await policy("check", "policy.yaml", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      files: [
        {
          file: "policy.yaml",
          rules: 2,
          tests: 2,
          diagnostics: [],
          warnings: [{ code: "mode_yolo", line: 9 }],
        },
      ],
    });
    expect(await policy("check", "policy.yaml", "--strict")).toMatchObject({ code: 1 });
  });

  test("says what rules leave out that allow a whole program or server", async () => {
    bench.write(
      "policy.yaml",
      'version: 1\nrules:\n  - allow shell.run "kubectl *"\n  - allow shell.run "kubectl get *"\n  - allow mcp.call "mcp:notion:*"\n',
    );
    const { code, stdout } = await policy("check", "policy.yaml", "--strict");
    expect({ code, notes: stdout.match(/^policy\.yaml:\d+:5: note: .*$/gm) }).toEqual({
      code: 0,
      notes: [
        expect.stringContaining(":3:5: note: What destroys asks nevertheless, such as `kubectl delete`"),
        expect.stringContaining("write `allow mcp:notion:*`"),
      ],
    });
  });

  test("[C27] without a name it checks the user's own file and nothing of an untrusted project", async () => {
    bench.write(".toolkeep/config.jsonc", '{ "policy": ["policy.yaml"] }');
    bench.write(".toolkeep/policy.yaml", "version: 1\nrules: [broken");
    const none = await policy("check");
    expect(none).toMatchObject({ code: 2, stdout: "" });
    expect(none.stderr).toContain("that is not trusted, so it does not apply");
    const own = join(bench.environment.TOOLKEEP_HOME, "config", "policy.yaml");
    mkdirSync(join(own, ".."), { recursive: true });
    writeFileSync(own, VALID);
    const { code, stdout } = await policy("check");
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${own}: valid, 2 rules, 2 tests, 0 warnings\n` });
  });

  test("says which file cannot be read", async () => {
    const outcome = await policy("check", "missing.yaml", "--json");
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(outcome.stderr).error.message).toContain("missing.yaml cannot be read (ENOENT)");
  });
});

describe("toolkeep policy explain", () => {
  test("shows effects in words, the rule with its line, the decision and what to type", async () => {
    const file = bench.write("policy.yaml", VALID);
    const denied = await policy("explain", "terraform apply", "--policy", file);
    expect(denied.code).toBe(0);
    expect(denied.stdout).toContain("  runs terraform apply\n");
    expect(denied.stdout).toContain(`(${file}:5)`);
    expect(denied.stdout).toContain("Decision: DENY\n  use the pipeline");
    const asked = await policy("explain", "git push origin main");
    expect(asked.stdout).toContain("  pushes to origin main\n");
    expect(asked.stdout).toContain("Decision: ASK");
    const words = await policy("explain", "make", "lint");
    expect(words.stdout).toContain("run `toolkeep allow 'make lint'`");
    const sandboxed = await policy("explain", "npm test", "--sandboxed", "--json");
    expect(JSON.parse(sandboxed.stdout)).toMatchObject([{ tool: "bash", action: "allow" }]);
  });

  test("takes a tool with JSON, with its main argument, JSON on standard input, and a server's tool", async () => {
    const path = join(bench.project, "package.json");
    const written = [{ tool: "write", action: "ask", effects: [{ words: `writes ${path}` }] }];
    for (const args of [
      ["--tool", "write", "package.json"],
      ["--tool", "write", '{"path":"package.json"}'],
      ['{"tool":"write","arguments":{"path":"package.json"}}'],
    ])
      expect(JSON.parse((await policy("explain", "--json", ...args)).stdout)).toMatchObject(written);
    const stdin = '{"tool":"read","arguments":{"path":"src/a.ts"}}';
    const piped = await bench.run(["policy", "explain", "-", "--json"], { stdin });
    expect(JSON.parse(piped.stdout)).toMatchObject([{ action: "allow" }]);
    const remote = await policy("explain", "--json", "--tool", "mcp:github:get_issue", "{}");
    expect(JSON.parse(remote.stdout)).toMatchObject([
      { action: "ask", allow: ["toolkeep allow mcp:github:get_issue"] },
    ]);
    const unknown = await policy("explain", "--tool", "wirte", "{}");
    expect(unknown).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("bash, read") });
  });

  test("explains for another user, in other groups and at another time, and records nothing", async () => {
    const file = bench.write(
      "policy.yaml",
      `version: 1
rules:
  - allow shell.run "make release" if group release
  - deny shell.run "make release" if user eve@example.com
  - ask shell.run "make release" when "now.hour('Europe/Berlin') >= 18" because "after hours"
`,
    );
    const explained = async (...args: string[]) => {
      const { stdout, stderr } = await policy("explain", "--policy", file, "--json", ...args, "make release");
      expect(stderr).toBe("");
      const [part] = JSON.parse(stdout);
      return part;
    };
    const [noon, night] = ["2026-11-16T12:00+01:00", "2026-11-16T18:00+01:00"];
    expect(await explained("--at", noon)).toMatchObject({ action: "ask", time: "2026-11-16T11:00:00.000Z" });
    expect(await explained("--group", "release,staff", "--at", noon)).toMatchObject({
      action: "allow",
      for: { groups: ["release", "staff"] },
    });
    expect(await explained("--group", "release", "--at", night)).toMatchObject({
      action: "ask",
      reason: expect.stringContaining("after hours"),
      facts: { now: Date.parse(night) },
    });
    // Another user has no groups of this one.
    expect(await explained("--as", "ada@example.com", "--at", noon)).toMatchObject({
      action: "ask",
      for: { user: "ada@example.com", groups: [] },
    });
    const eve = ["--as", "eve@example.com", "--group", "release", "--at", noon];
    expect(await explained(...eve)).toMatchObject({ action: "deny" });
    const { stdout } = await policy("explain", "--policy", file, ...eve, "make release");
    expect(stdout).toMatch(
      /^As if made for eve@example\.com of the group release, at 2026-11-16T11:00:00\.000Z:$/m,
    );
    expect(await policy("explain", "--at", "2026-02-30", "ls")).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(join(bench.environment.TOOLKEEP_HOME, "state", "sessions"))).toBe(false);
  });

  test("records nothing, and a command cannot begin a line of its own", async () => {
    const { stdout } = await policy("explain", "echo 'x\nDecision: ALLOW\u001b[2J\u202e'");
    expect(stdout.match(/^Decision: /gm)).toHaveLength(1);
    for (const hidden of ["\u001b", "\u202e"]) expect(stdout).not.toContain(hidden);
    expect(existsSync(join(bench.environment.TOOLKEEP_HOME, "state", "sessions"))).toBe(false);
  });

  test.skipIf(!hasPseudoTerminal)("shows the same in a terminal and asks nothing", async () => {
    const input = { cwd: bench.project, env: bench.environment };
    const { code, shown } = await inTerminal(`${OWN_LINE} policy explain 'make lint'`, [], input);
    expect(code).toBe(0);
    expect(shown).toBe((await policy("explain", "make lint")).stdout);
  });
});

describe("toolkeep policy import", () => {
  const SETTINGS = JSON.stringify({
    permissions: {
      allow: ["Bash(npm test:*)", "Nope(x)"],
      deny: ["Bash(rm:*)", "Read(./secrets/**)"],
      ask: ["Bash(git push:*)"],
    },
  });

  test("shows the user's entries as rules, and names what cannot be said", async () => {
    bench.write(".claude/settings.json", '{"permissions":{"allow":["Bash(*)"]}}');
    mkdirSync(join(bench.home, ".claude"));
    writeFileSync(join(bench.home, ".claude", "settings.json"), SETTINGS);
    const { code, stdout, stderr } = await policy("import", "claude");
    expect(code).toBe(0);
    expect(stdout).toContain('  - deny shell.run "rm *"\n');
    expect(stdout).toContain('  - allow bash "npm test *"\n');
    expect(stdout).not.toContain("extends");
    expect(stderr).toMatch(/settings\.json:1: Nope\(x\): dropped: /);
  });

  test("--write makes a new policy that checks, and never replaces one", async () => {
    bench.write("claude.json", SETTINGS);
    expect(await policy("import", "claude", "claude.json", "--write", "policy.yaml")).toMatchObject({
      code: 0,
      stdout: "",
    });
    expect(await policy("check", "policy.yaml")).toMatchObject({ code: 0 });
    const before = readFileSync(join(bench.project, "policy.yaml"), "utf8");
    const again = await policy("import", "claude", "claude.json", "--write", "policy.yaml");
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("exists already") });
    expect(readFileSync(join(bench.project, "policy.yaml"), "utf8")).toBe(before);
    const rm = await policy("explain", "rm -rf x", "--policy", "policy.yaml", "--json");
    expect(JSON.parse(rm.stdout)).toMatchObject([{ action: "deny" }]);
    expect(await policy("import", "emacs")).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("without a file", () => {
  const enabled = async (text = VALID) => {
    bench.write("policy.yaml", text);
    await policy("enable", "policy.yaml", "--yes");
  };

  test("a trusted project's policy is checked and tested, and an untrusted one is named with the command", async () => {
    bench.write("policy.yaml", VALID);
    const file = join(bench.project, "policy.yaml");
    const advice = `toolkeep policy enable ${file} --project ${bench.project}`;
    for (const command of ["test", "check"])
      expect(await policy(command)).toMatchObject({ code: 2, stderr: expect.stringContaining(advice) });
    await enabled();
    expect(await policy("test", "--json")).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse((await policy("check", "--json")).stdout)).toMatchObject({
      files: [{ file, tests: 2 }],
    });
    bench.write("policy.yaml", `${VALID}# mine\n`);
    const { code, stderr } = await policy("test");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("has changed since it was trusted"),
    });
  });

  test("files come in the order in which they decide", async () => {
    bench.write("own.yaml", VALID);
    await enabled();
    await policy("enable", "own.yaml", "--user", "--yes");
    const { files } = JSON.parse((await policy("check", "--json")).stdout);
    expect(files.map((one: { readonly file: string }) => one.file)).toEqual(
      ["own.yaml", "policy.yaml"].map((name) => join(bench.project, name)),
    );
  });

  test("tests say that the calls pass in the mode observe", async () => {
    bench.write("own.yaml", `${VALID}mode: observe\n`);
    await policy("enable", "own.yaml", "--user", "--yes");
    const { code, stdout, stderr } = await policy("test", "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("The mode is observe") });
    expect(JSON.parse(stdout)).toMatchObject([{ mode: "observe", isPassed: true }]);
  });
});

describe("policy check finds a name that is almost a known one:", () => {
  beforeEach(() => {
    bench.write(".mcp.json", '{"mcpServers":{"payments":{"command":"true"}}}');
  });
  const TESTS =
    'tests:\n  - { "mcp:payments:send": { amount: 1 }, groups: [engineering], user: ada.lovelace, expect: ask }\n';
  const check = async (rule: string, tests = TESTS) => {
    bench.write("policy.yaml", `version: 1\nrules:\n  - '${rule}'\n${tests}`);
    const { code, stdout } = await policy("check", "policy.yaml", "--strict", "--json");
    const { warnings } = JSON.parse(stdout).files[0];
    return { code, hints: warnings.map((one: { readonly hint?: string }) => one.hint) };
  };

  test.each([
    ['ask mcp:payments:send when "args.amout > 10"', "amount"],
    ['ask mcp:payments:* when "has(args.amuont) && args.amuont > 10"', "amount"],
    ['deny bash when "args.comand.contains(\\"rm\\")"', "command"],
    ["deny mcp:paymnets:send", "payments"],
    ['deny mcp.call "mcp:paymnets:*"', "payments"],
    ["deny mcp:payments:send if group enginering", "engineering"],
    ["deny mcp:payments:send if not user ada.lovelcae", "ada.lovelace"],
    ["ask mcp:payments:send by group enginering", "engineering"],
  ])("%s", async (rule, name) => {
    expect(await check(rule)).toEqual({ code: 1, hints: [`Did you mean \`${name}\`?`] });
  });

  test("an argument that a rule above about the same tool spells in another way", async () => {
    const rules = (...tools: readonly string[]) =>
      tools
        .map((tool, index) => `ask ${tool} when "args.${["amount", "amout"][index]} > 10"`)
        .join("'\n  - '");
    const hints = ["Did you mean `amount`?"];
    expect(await check(rules("mcp:payments:send", "mcp:payments:*"), "")).toEqual({ code: 1, hints });
    expect(await check(rules("mcp:payments:send", "mcp:payments:list"), "")).toMatchObject({ hints: [] });
  });

  test.each([
    'ask mcp:payments:send when "args.amount > 10"',
    'ask mcp:payments:send when "args.currency == \\"args.amout\\""',
    'deny bash when "args.command.contains(\\"rm\\")"',
    "deny mcp:billing:send",
    "deny mcp:payments:send if group accounting",
    "ask mcp:payments:send by group engineering",
    "deny mcp:*:send",
  ])("but not in %s", async (rule) => {
    expect(await check(rule)).toEqual({ code: 0, hints: [] });
  });

  test("says nothing where nothing is known of the arguments", async () => {
    const tests = "tests: [{ bash: ls, expect: allow }]\n";
    expect(await check('ask mcp:billing:send when "args.amout > 10"', tests)).toEqual({ code: 0, hints: [] });
  });
});
