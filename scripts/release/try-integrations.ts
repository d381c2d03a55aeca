import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { localRegistry, type PackedPackage } from "../quick-starts/local-registry.ts";
import { emptyFolder, newUser, typed, type User } from "../quick-starts/new-user.ts";
import { mustRun, runProgram } from "../run-program.ts";

interface Integrations {
  /** The checkout with the integrations. */
  readonly root: string;
  readonly packed: readonly PackedPackage[];
  readonly version: string;
  /** An empty folder. */
  readonly folder: string;
}

interface Hook {
  readonly matcher: string;
  readonly hooks: readonly { readonly command: string; readonly timeout: number }[];
}
type Hooks = Readonly<Record<string, readonly Hook[]>>;

/** Runs the action on a policy, and gives a call to the hook of the plugin, with our packages as if they were published. */
export async function integrationErrors(integrations: Integrations): Promise<readonly string[]> {
  const { packed, folder } = integrations;
  using registry = await localRegistry(packed);
  const user = newUser(join(folder, "user"), {
    node: process.execPath,
    registry: registry.url,
    cache: join(folder, "cache"),
  });
  return [
    ...versionErrors(integrations),
    ...(await actionErrors(integrations, user)),
    ...(await pluginErrors(integrations, user)),
  ];
}

function versionErrors({ root, version }: Integrations): readonly string[] {
  const plugin = readJson<{ version: string }>(join(root, PLUGIN, ".claude-plugin/plugin.json"));
  const marketplace = readJson<Marketplace>(join(root, ".claude-plugin/marketplace.json"));
  const action = parse(readFileSync(join(root, "integrations/policy-test/action.yml"), "utf8")) as {
    readonly inputs: { readonly version: { readonly default: string } };
  };
  const named = marketplace.plugins.map(({ source }) => join(root, source));
  return [
    ...(plugin.version === version ? [] : [`The plugin has the version ${plugin.version}.`]),
    ...(action.inputs.version.default === version
      ? []
      : [`The action takes ${action.inputs.version.default}.`]),
    ...(named.includes(join(root, PLUGIN)) ? [] : [`The marketplace does not name ${PLUGIN}.`]),
  ];
}

const PLUGIN = "integrations/claude-code";

interface Marketplace {
  readonly name: string;
  readonly owner: { readonly name: string };
  readonly plugins: readonly { readonly name: string; readonly source: string }[];
}

/** The command of the action, on its sample and on a policy whose test and whose rule are wrong. */
async function actionErrors({ root, version }: Integrations, user: User): Promise<readonly string[]> {
  const folder = emptyFolder(user, "action");
  const sample = readFileSync(join(root, "integrations/policy-test/sample/policy.yaml"), "utf8");
  writeFileSync(join(folder, "good.yaml"), sample);
  writeFileSync(join(folder, "failing.yaml"), sample.replace("expect: deny", "expect: allow"));
  writeFileSync(join(folder, "invalid.yaml"), sample.replace("fs.*", "fs.wirte"));
  const run = async (file: string) => {
    const env = { ...user.env, POLICY_FILES: file, POLICY_REPORT: `${file}.xml` };
    const variables = { ...env, TOOLKEEP_PACKAGE: `toolkeep@${version}` };
    const program = join(root, "integrations/policy-test/policy-test.mjs");
    const end = await runProgram([process.execPath, program], { cwd: folder, env: variables });
    return { ...end, report: readFileSync(join(folder, `${file}.xml`), "utf8") };
  };
  const good = await run("good.yaml");
  const failing = await run("failing.yaml");
  const invalid = await run("invalid.yaml");
  const line = sample.split("\n").findIndex((text) => text.includes("expect: deny")) + 1;
  const expected = {
    "passes a policy": good.code === 0 && !good.stdout.includes("::error"),
    "writes a JUnit report": /<testsuites? [^>]*tests="1"/.test(good.report),
    "fails for a failed test": failing.code === 1 && /<failure /.test(failing.report),
    "annotates the line of a failed test": failing.stdout.includes(
      `::error file=failing.yaml,line=${line}::`,
    ),
    "fails for an invalid rule":
      invalid.code === 1 && invalid.stdout.includes("::error file=invalid.yaml,line="),
  };
  return missing("The action", expected, `${good.stdout}${good.stderr}${failing.stdout}${invalid.stdout}`);
}

/** The hook of the plugin, in a project where nothing is installed, for a user with the program and for one without. */
async function pluginErrors({ root }: Integrations, user: User): Promise<readonly string[]> {
  const installed = emptyFolder(user, "installed");
  mkdirSync(join(installed, ".claude"));
  await mustRun(["git", "init", "-q", installed]);
  await typed("npm install -g toolkeep && toolkeep init claude-code --yes", installed, user);
  const settings = readJson<{ hooks: Hooks }>(join(installed, ".claude/settings.local.json"));
  const { hooks } = readJson<{ hooks: Hooks }>(join(root, PLUGIN, "hooks/hooks.json"));
  const folder = emptyFolder(user, "elsewhere");
  const call = { tool_name: "Bash", tool_input: { command: "git push --force" }, tool_use_id: "t-1" };
  const event = { session_id: "s1", cwd: folder, hook_event_name: "PreToolUse", permission_mode: "default" };
  writeFileSync(join(folder, "call.json"), JSON.stringify({ ...event, ...call }));
  const line = `${hooks["PreToolUse"]?.[0]?.hooks[0]?.command ?? "false"} < call.json`;
  const plugin = { CLAUDE_PLUGIN_ROOT: join(root, PLUGIN) };
  const answered = await typed(line, folder, { ...user, env: { ...user.env, ...plugin } });
  const blocked = await runProgram(["sh", "-c", line], { cwd: folder, env: { ...plugin, HOME: folder } });
  const expected = {
    "has the hooks that `init` writes": shapeOf(hooks) === shapeOf(settings.hooks),
    "denies a forced push": answered.includes('"permissionDecision":"deny"'),
    "blocks without the program": blocked.code === 2 && blocked.stderr.includes("npm install -g toolkeep"),
  };
  return missing(
    "The plugin",
    expected,
    `${answered}${blocked.stderr}${shapeOf(hooks)}\n${shapeOf(settings.hooks)}`,
  );
}

/** Hooks without the commands that they start. */
function shapeOf(hooks: Hooks): string {
  return JSON.stringify(hooks, (key, value: unknown) => (key === "command" ? undefined : value));
}

function missing(
  what: string,
  expected: Readonly<Record<string, boolean>>,
  shown: string,
): readonly string[] {
  const not = Object.entries(expected).filter(([, isSo]) => !isSo);
  if (not.length > 0) process.stderr.write(`${shown}\n`);
  return not.map(([promise]) => `${what} does not hold what it promises: it ${promise}.`);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
