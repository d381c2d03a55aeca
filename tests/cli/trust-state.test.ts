import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliBench, cliBench } from "./cli-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

const POLICY = 'version: 1\nrules:\n  - deny fs.* "**/.env*"\n';
const CONFIG = '{ "policy": "policy.yaml" }';

interface State {
  readonly name: string;
  readonly lay: () => Promise<unknown> | unknown;
  readonly configuration: string;
  readonly ignored: boolean;
}

const STATES: readonly State[] = [
  { name: "an empty project", lay: () => {}, configuration: "none", ignored: false },
  {
    name: "a policy that nothing names",
    lay: () => bench.write("policy.yaml", POLICY),
    ...{ configuration: "none", ignored: true },
  },
  {
    name: "a policy in the folder .toolkeep that nothing names",
    lay: () => bench.write(".toolkeep/policy.yaml", POLICY),
    ...{ configuration: "untrusted", ignored: true },
  },
  {
    name: "a configuration that is not trusted",
    lay: () => {
      bench.write("policy.yaml", POLICY);
      bench.write(".toolkeep/config.jsonc", CONFIG);
    },
    ...{ configuration: "untrusted", ignored: true },
  },
  {
    name: "a configuration outside of .toolkeep that is not trusted",
    lay: () => bench.write("toolkeep.jsonc", "{}"),
    ...{ configuration: "untrusted", ignored: true },
  },
  {
    name: "an enabled policy",
    lay: async () => {
      bench.write("policy.yaml", POLICY);
      await bench.runHere(["policy", "enable", "policy.yaml", "--yes"]);
    },
    ...{ configuration: "trusted", ignored: false },
  },
  {
    name: "an enabled policy that has changed",
    lay: async () => {
      bench.write("policy.yaml", POLICY);
      await bench.runHere(["policy", "enable", "policy.yaml", "--yes"]);
      await bench.runHere(["config", "show"]);
      bench.write("policy.yaml", `${POLICY}# changed\n`);
    },
    ...{ configuration: "changed", ignored: true },
  },
];

const shown = async (...args: string[]) => bench.runHere(args);
const trustOf = async (...args: string[]) => JSON.parse((await shown(...args, "--json")).stdout).trust;

async function hookSays(command: string): Promise<string> {
  const stdin = JSON.stringify({
    ...{ hook_event_name: "PreToolUse", session_id: "s", tool_use_id: "t", permission_mode: "default" },
    ...{ tool_name: "Bash", tool_input: { command }, cwd: bench.project },
  });
  return (await bench.run(["hook", "claude-code"], { stdin })).stdout;
}

test.each(STATES)("$name is said alike, with the one command that helps", async ({ lay, ...expected }) => {
  await lay();
  const trust = await trustOf("config", "show");
  expect({ ...trust, ignored: trust.ignored !== undefined }).toMatchObject({
    ...{ configuration: expected.configuration, ignored: expected.ignored },
  });
  // It probes the sandbox, which takes a while.
  if (expected.configuration === "changed") expect(await trustOf("doctor")).toEqual(trust);
  const asked = await hookSays("npm publish");
  const explained = (await shown("policy", "explain", "npm publish")).stderr;
  if (trust.ignored === undefined) {
    for (const text of [asked, explained]) expect(text).not.toMatch(/toolkeep (?:trust|policy)/);
    return;
  }
  expect((await hookSays("git status")).trim()).toBe("{}");
  const { command } = trust.ignored;
  for (const text of [asked, explained]) expect(text.split(`\`${command}\``).length).toBe(2);
  const [, ...args] = command.split(" ");
  expect(await shown(...args, "--yes")).toMatchObject({ code: 0 });
  expect((await trustOf("config", "show")).configuration).toBe("trusted");
  expect((await shown("policy", "explain", "npm publish")).stderr).not.toContain(command);
});

test("what an installation trusts is not said to be asked about", async () => {
  await bench.run(["init", "claude-code", "--yes"]);
  bench.write(".toolkeep/config.jsonc", "{}");
  expect(await trustOf("config", "show")).toMatchObject({ scripts: "run", configuration: "untrusted" });
  const { stderr } = await bench.run(["trust"]);
  expect(stderr).toContain(
    "without asking (the installation lets them already):\n  .toolkeep/config.jsonc\n",
  );
});
