import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { inTerminal, type Typing } from "../../tests/cli/pseudo-terminal.ts";
import { ROOT } from "../root.ts";
import { mustRun } from "../run-program.ts";
import { localRegistry, type PackedPackage } from "./local-registry.ts";
import { emptyFolder, newUser, typed, type User } from "./new-user.ts";
import { quickStart } from "./quick-start.ts";

const NODES = { 24: process.execPath, 26: join(ROOT, "tests/node-26/node_modules/node/bin/node") };
const LONGEST_MS = 300_000;

/**
 * Types what the quick starts of the README say, in empty folders of a new user, with each Node that we support or the
 * oldest. Our packages come from tarballs as if they were published.
 */
export async function quickStartErrors(
  packed: readonly PackedPackage[],
  { folder, oldest }: { readonly folder: string; readonly oldest: boolean },
): Promise<readonly string[]> {
  using registry = await localRegistry(packed);
  const errors: string[] = [];
  for (const [version, node] of Object.entries(NODES).slice(0, oldest ? 1 : undefined)) {
    const user = newUser(join(folder, version), {
      node,
      registry: registry.url,
      cache: join(folder, "cache"),
    });
    const failed = async (what: string, attempt: () => Promise<unknown>) => {
      await attempt().catch((error: Error) => errors.push(`Node ${version}: ${what}: ${error.message}`));
    };
    await failed("npx", () => firstCall(user, version));
    await failed("quick start 1", () => clientQuickStart(user));
    await failed("quick start 2", () => applicationQuickStart(user));
    await failed("quick start 3", () => teamQuickStart(user));
  }
  return errors;
}

/** From nothing to the first governed call. */
async function firstCall(user: User, version: string): Promise<void> {
  const folder = emptyFolder(user, "empty");
  writeFileSync(join(folder, "note.txt"), "hello\n");
  const begun = performance.now();
  const stdout = await typed("npx toolkeep call read note.txt", folder, user);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  if (!stdout.includes("hello")) throw new Error(`the call printed ${stdout}`);
  process.stdout.write(`Node ${version}: ${seconds} s from npx to the first governed call\n`);
}

async function clientQuickStart(user: User): Promise<void> {
  const folder = emptyFolder(user, "one");
  const project = join(folder, "my-project");
  mkdirSync(join(project, ".claude"), { recursive: true });
  await mustRun(["git", "init", "-q", project]);
  const typing: readonly Typing[] = [
    { after: "Make these changes?", keys: "y\n" },
    { after: "Begin in the mode observe?", keys: "n\n" },
  ];
  const line = `set -e\n${quickStart(1).shell}`;
  const { code, shown } = await inTerminal(line, typing, { cwd: folder, env: user.env }, LONGEST_MS);
  if (code !== 0) throw new Error(`ended with ${code}\n${shown}`);
  const settings = readFileSync(join(project, ".claude/settings.local.json"), "utf8");
  if (!settings.includes("hook claude-code")) throw new Error(`there is no hook in ${settings}`);
}

/** The route that the README prints, in a chat with a browser that is not honest, and the program that it links to. */
async function applicationQuickStart(user: User): Promise<void> {
  const folder = emptyFolder(user, "two");
  await typed(quickStart(2).shell, folder, user);
  writeFileSync(join(folder, "package.json"), moduleManifest(folder));
  writeFileSync(join(folder, "route.ts"), quickStart(2).code);
  for (const file of ["scripts/quick-starts/play-chat.ts", "examples/06-ai-sdk.ts"]) {
    copyFileSync(join(ROOT, file), join(folder, basename(file)));
    await typed(`node ${basename(file)}`, folder, user);
  }
}

/** The manifest that npm wrote, of a folder whose programs are modules. */
function moduleManifest(folder: string): string {
  const manifest: object = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return JSON.stringify({ ...manifest, type: "module" });
}

/** The policy of the README decides calls that Claude Code gives to the hook which `toolkeep init` wrote. */
async function teamQuickStart(user: User): Promise<void> {
  const project = emptyFolder(user, "three");
  mkdirSync(join(project, ".claude"));
  await mustRun(["git", "init", "-q", project]);
  await typed("toolkeep init claude-code --yes", project, user);
  writeFileSync(join(project, "policy.yaml"), quickStart(3).yaml);
  const before = await answerOfHook(WRITING, project, user);
  const typing: readonly Typing[] = [{ after: "policy.yaml decide?", keys: "y\n" }];
  const line = `set -e\n${quickStart(3).shell}`;
  const { code, shown } = await inTerminal(line, typing, { cwd: project, env: user.env }, LONGEST_MS);
  if (code !== 0) throw new Error(`ended with ${code}\n${shown}`);
  const denied = await answerOfHook(READING, project, user);
  const allowed = await answerOfHook(WRITING, project, user);
  if (!/"deny".*Keys stay out of the model/.test(denied)) throw new Error(`the hook answered ${denied}`);
  if (before.includes('"allow"') || !allowed.includes('"allow"'))
    throw new Error(`the hook answered ${before}, and with the policy ${allowed}`);
}

const READING = { tool_name: "Read", tool_input: { file_path: ".env" } };
const WRITING = { tool_name: "Write", tool_input: { file_path: "app/a.ts", content: "export {};" } };

/** What the command in Claude Code's settings answers to a call. */
async function answerOfHook(call: typeof READING | typeof WRITING, project: string, user: User) {
  const settings = JSON.parse(readFileSync(join(project, ".claude/settings.local.json"), "utf8")) as {
    readonly hooks: { readonly PreToolUse: readonly [{ readonly hooks: readonly [{ command: string }] }] };
  };
  const [{ hooks }] = settings.hooks.PreToolUse;
  const file_path = join(project, call.tool_input.file_path);
  const event = {
    ...{ session_id: "s1", tool_use_id: "t1", cwd: project, transcript_path: join(project, "none.jsonl") },
    ...{ hook_event_name: "PreToolUse", permission_mode: "default", tool_name: call.tool_name },
    tool_input: { ...call.tool_input, file_path },
  };
  const payload = join(user.folder, "call.json");
  writeFileSync(payload, JSON.stringify(event));
  return typed(`${hooks[0].command} < ${payload}`, project, user);
}
