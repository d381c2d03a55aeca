import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { splitCommand } from "@toolkeep/core/internal";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliBench, type CliOutcome, cliBench } from "./cli-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

const POLICY =
  'version: 1\nrules:\n  - deny shell.run "uname *"\ntests: [{ bash: uname -a, expect: deny }]\n';

/** A state, and a command that complains in it. */
interface Row {
  readonly state: string;
  readonly lay?: () => unknown;
  readonly args: readonly string[];
  /** For a hook. */
  readonly stdin?: () => string;
  /** Whether it says the same again: it was advised instead of what was asked for, or to undo it. */
  readonly isSaidAgain?: true;
  /** Done by hand before the advice is followed, where it says so. */
  readonly fix?: () => unknown;
}

const run = (args: readonly string[]) => bench.runHere(args);
const explain = (...args: readonly string[]): Row => ({
  state: `explain ${args.join(" ")}`,
  args: ["policy", "explain", ...args],
});
const hook = (command: string): Row => ({
  ...{ state: `a hook is asked about ${command}`, args: ["hook", "claude-code"] },
  stdin: () =>
    JSON.stringify({
      ...{
        hook_event_name: "PreToolUse",
        session_id: "s",
        tool_use_id: "t",
        permission_mode: "bypassPermissions",
      },
      ...{ tool_name: "Bash", tool_input: { command }, cwd: bench.project },
    }),
});

const changed = async () => {
  bench.write("policy.yaml", POLICY);
  await run(["policy", "enable", "policy.yaml", "--yes"]);
  await run(["config", "show"]);
  bench.write("policy.yaml", `${POLICY}# changed\n`);
};

/** What a changed file forbade is not known any more. */
const lost = async () => {
  await changed();
  const file = join(bench.environment.TOOLKEEP_HOME, "state/trust.json");
  const stored = JSON.parse(readFileSync(file, "utf8"));
  for (const project of Object.values<{ kept?: unknown }>(stored.projects)) delete project.kept;
  writeFileSync(file, JSON.stringify(stored));
};

const ROWS: readonly Row[] = [
  ...["doctor", "status"].map((command) => ({
    state: `a client is not guarded, ${command}`,
    lay: () => bench.write(".claude/settings.json", "{}"),
    args: [command],
  })),
  {
    state: "hooks were removed by hand",
    lay: async () => {
      bench.write(".claude/settings.json", "{}");
      await run(["init", "claude-code", "--yes"]);
      bench.write(".claude/settings.local.json", "{}");
    },
    args: ["doctor"],
  },
  ...["frobnicate x", "npm install left-pad", "curl https://example.com", "git push origin main"].map((one) =>
    explain(one),
  ),
  ...["make", "npm test", "./run.sh --all 'a b'", "terraform apply", "uv sync"].map((one) => explain(one)),
  explain("--tool", "web_fetch", "https://example.com/a b"),
  explain("--tool", "read", "/srv/data/it's here.txt"),
  explain("--tool", "write", '{"path":"/srv/a.txt","content":"x"}'),
  explain("--tool", "mcp:notes:add", "{}"),
  ...["npm install left-pad", "frobnicate 'x y'"].map(hook),
  { state: "a call asks", args: ["call", "read", "/srv/data.txt"] },
  { state: "a dry run asks", args: ["call", "web_fetch", "https://example.com", "--dry-run"] },
  { state: "one of two rules is added", args: ["allow", "git push origin main", "--yes"] },
  {
    state: "a rule is added by the wrong command",
    args: ["allow", 'deny shell.run "uname *"'],
    isSaidAgain: true,
  },
  ...["explain", "test", "check"].map((command) => ({
    state: `a policy lies there, ${command}`,
    lay: () => bench.write("policy.yaml", POLICY),
    args: ["policy", command, ...(command === "explain" ? ["ls"] : [])],
  })),
  {
    state: "a configuration is not trusted",
    lay: () => bench.write(".toolkeep/config.jsonc", "{}"),
    args: ["config", "show"],
  },
  ...[["policy", "explain", "ls"], ["policy", "test"], ["config", "show"], ["trust", "list"], ["tools"]].map(
    (args) => ({ state: `a project has changed, ${args.join(" ")}`, lay: changed, args }),
  ),
  { state: "what a changed file forbade is lost", lay: lost, args: ["policy", "explain", "ls"] },
  { state: "what a changed file forbade is lost, a list", lay: lost, args: ["policy", "check"] },
  {
    state: "a policy of the project has changed, a hook",
    lay: changed,
    ...withoutState(hook("npm publish")),
  },
  {
    state: "a policy fails its tests",
    lay: () => bench.write("policy.yaml", POLICY.replace("expect: deny", "expect: ask")),
    args: ["policy", "enable", "policy.yaml", "--yes"],
    fix: () => bench.write("policy.yaml", POLICY),
  },
  {
    state: "a policy is invalid",
    lay: () => bench.write("policy.yaml", POLICY.replace("deny", "dney")),
    args: ["policy", "enable", "policy.yaml", "--yes"],
    fix: () => bench.write("policy.yaml", POLICY),
  },
  {
    state: "a policy is outside of the project",
    lay: () => bench.write("../a policy.yaml", POLICY),
    args: ["policy", "enable", "../a policy.yaml", "--yes"],
    isSaidAgain: true,
  },
  {
    state: "a policy was enabled",
    isSaidAgain: true,
    lay: () => bench.write("policy.yaml", POLICY),
    args: ["policy", "enable", "policy.yaml", "--yes"],
  },
  { state: "no project is trusted", args: ["trust", "revoke"] },
  { state: "a request is not there", args: ["approve", "nope"] },
  { state: "a session is not there", args: ["sessions", "show", "nope"] },
  { state: "a program is not known", args: ["catalog", "show", "nope"] },
  { state: "a server is not accepted", args: ["servers", "forget", "nope"] },
  { state: "a tool is not known", args: ["tools", "why", "nope"] },
  {
    state: "no history was found",
    lay: () => bench.write(".claude/settings.json", "{}"),
    args: ["scan"],
  },
];

function withoutState({ args, stdin }: Row) {
  return { args, ...(stdin === undefined ? {} : { stdin }) };
}

/** The commands that an output tells its reader to run. */
function advised(text: string): readonly string[] {
  const plain = text.replaceAll(/\\(["\\])/g, "$1");
  const quoted = Array.from(plain.matchAll(/`((?:npx )?toolkeep [^`]+)`/g), ([, one = ""]) => one);
  const shown = Array.from(
    plain.matchAll(/(?:^ +> |[Rr]un: |: |Next.*: )((?:npx )?toolkeep .+)$/gm),
    ([, one = ""]) => one,
  );
  return [...new Set([...quoted, ...shown])];
}

/** Commands that show something, and so change nothing of what was complained about. */
const SHOWS =
  /^toolkeep (?:approvals|servers|tools|catalog(?: show \S+)?|doctor|(?:trust|sessions) list|policy (?:test|check).*|init)$/;

const ASKS = /^(?:allow|ask|deny|trust|init|install|uninstall|policy (?:enable|disable)|servers accept)\b/;

async function follow(command: string): Promise<void> {
  for (const part of command.split(" && ")) {
    const [program, ...args] = splitCommand(part) ?? [];
    expect(program, part).toBe("toolkeep");
    const outcome = await run(ASKS.test(args.join(" ")) ? [...args, "--yes"] : args);
    // doctor ends with 1 where something does not guard.
    expect(args[0] === "doctor" ? [0, 1] : [0], outcome.stderr).toContain(outcome.code);
  }
}

async function said({ args, stdin }: Row): Promise<string> {
  const outcome: CliOutcome =
    stdin === undefined ? await run(args) : await bench.run(args, { stdin: stdin() });
  return `${outcome.stdout}\n${outcome.stderr}`;
}

/** In the long check, every row. */
const EVERY = process.env["TOOLKEEP_LONG"] === undefined ? 5 : 1;
const PLAYED = ROWS.filter((_, index) => index % EVERY === 0);

test.each(PLAYED)("advice can be followed, and ends what was complained about: $state", async (row) => {
  bench.write("package.json", '{"scripts":{"test":"true"}}');
  await row.lay?.();
  const advice = advised(await said(row));
  expect(advice, "no command was advised").not.toEqual([]);
  await row.fix?.();
  for (const command of advice) await follow(command);
  const changing = advice.filter((one) => !SHOWS.test(one));
  if (changing.length === 0 || row.fix !== undefined || row.isSaidAgain === true) return;
  const after = advised(await said(row));
  expect(after.filter((one) => changing.includes(one))).toEqual([]);
});

test("a tool that is not known is said to be so, and not that its arguments are wrong", async () => {
  for (const args of [["call"], ["policy", "explain", "--tool"]])
    expect(await run([...args, "nope", "x"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/"nope"[\s\S]*Use one of /),
    });
  const { stderr } = await run(["call", "todo", "x"]);
  expect(stderr).toContain("toolkeep call todo '{");
});
