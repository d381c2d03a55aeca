import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { InstallClientName } from "../../clients/install-client.ts";
import { type Fields, fieldsInText } from "../../clients/payload.ts";
import { DOCTOR_CONVERSATION, doctorCommand } from "../../hooks/decide/doctor-call.ts";

/** How a client starts its hook. */
export type HookLine =
  /** A line for a shell, from the client's settings. */
  | { readonly line: string; readonly shell: "sh" | "bash"; readonly seconds: number }
  /** A file that the client loads. */
  | { readonly plugin: string; readonly seconds: number };

/**
 * `stopped`: the call is denied or asks. `blocked`: nothing could be decided, so every call is refused. `passed`: the
 * call would run. `failed`: the hook gave no answer that the client follows.
 */
export interface Played {
  readonly outcome: "stopped" | "blocked" | "passed" | "failed";
  readonly ms: number;
  /** Why, as far as the hook said. */
  readonly reason: string;
}

export interface PlayOptions {
  readonly client: InstallClientName;
  readonly project: string;
  readonly hook: HookLine;
  /** What the client's settings add to the environment of hooks. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Plays the forbidden call through a hook, as its client does. Never throws. */
export async function playCall({
  client,
  project,
  hook,
  environment,
}: PlayOptions): Promise<Played | undefined> {
  const forbidden = forbiddenCall(client, project);
  if (forbidden === undefined) return undefined;
  const call = { ...forbidden, environment: { ...environment, ...forbidden.environment } };
  const started = performance.now();
  const ended = await ("line" in hook
    ? throughShell(hook, call, project)
    : throughPlugin(hook, call, project));
  return { ...read(client, ended), ms: Math.round(performance.now() - started) };
}

interface Ended {
  /** `null` if it was killed; `undefined` if it did not start. */
  readonly code: number | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

type ShellHook = Extract<HookLine, { line: string }>;
type PluginHook = Extract<HookLine, { plugin: string }>;

const throughShell = ({ line, shell, seconds }: ShellHook, call: PlayedCall, project: string) =>
  run([shell === "bash" ? "bash" : "/bin/sh", "-c", line], { call, project, seconds });

/** Loads the plugin and calls it. It throws to refuse a call. */
const LOADER = `
const [file, directory] = process.argv.slice(1);
let text = "";
for await (const piece of process.stdin.setEncoding("utf8")) text += piece;
const { args, ...input } = JSON.parse(text);
const { Toolkeep } = await import(file);
const hooks = await Toolkeep({ directory });
const before = hooks["tool.execute.before"];
const outcome = before === undefined ? { none: true } : await before(input, { args }).then(
  () => ({ passed: true }),
  (error) => ({ thrown: String(error?.message) }),
);
process.stdout.write(JSON.stringify(outcome));
`;

const throughPlugin = ({ plugin, seconds }: PluginHook, call: PlayedCall, project: string) =>
  run([process.execPath, "--input-type=module", "-e", LOADER, pathToFileURL(plugin).href, project], {
    call,
    project,
    seconds,
  });

const MOST_CHARACTERS = 100_000;

function run(
  [program = "", ...args]: readonly string[],
  { call, project, seconds }: { call: PlayedCall; project: string; seconds: number },
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: project,
      env: { ...process.env, ...call.environment },
      stdio: "pipe",
      timeout: seconds * 1_000,
      killSignal: "SIGKILL",
    });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        if (texts[name].length < MOST_CHARACTERS) texts[name] += text;
      });
    child.on("error", () => resolve({ code: undefined, ...texts }));
    child.on("close", (code) => resolve({ code, ...texts }));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(call.payload));
  });
}

function read(client: InstallClientName, { code, stdout, stderr }: Ended): Omit<Played, "ms"> {
  if (code === null)
    return { outcome: "failed", reason: "it took longer than the time that the client gives it" };
  if (code === 2) return { outcome: "blocked", reason: firstLine(stderr) };
  if (code !== 0)
    return {
      outcome: "failed",
      reason: `it ended with ${code ?? "no"} exit code. ${firstLine(stderr)}`.trim(),
    };
  const answer = fieldsInText(stdout);
  if (answer === undefined) return { outcome: "failed", reason: "its answer is not JSON" };
  return answerOf(client, answer);
}

function answerOf(client: InstallClientName, answer: Fields): Omit<Played, "ms"> {
  if (client === "opencode") {
    if (typeof answer["thrown"] !== "string") return { outcome: "passed", reason: "" };
    const isDecided = answer["thrown"].startsWith("Toolkeep: ");
    return { outcome: isDecided ? "stopped" : "blocked", reason: firstLine(answer["thrown"]) };
  }
  const said = (answer["hookSpecificOutput"] ?? answer) as Fields;
  const action = said["permissionDecision"] ?? said["permission"];
  const reason = said["permissionDecisionReason"] ?? said["user_message"] ?? "";
  const isStopped = action === "deny" || action === "ask";
  return { outcome: isStopped ? "stopped" : "passed", reason: firstLine(String(reason)) };
}

const firstLine = (text: string) => text.trim().split("\n")[0]?.slice(0, 300) ?? "";

/** A call as a client hands it to its hook. */
interface PlayedCall {
  readonly payload: Readonly<Record<string, unknown>>;
  /** What the client sets for its hooks. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The forbidden call in the format of each client that has hooks. Each has a conversation of its own. */
function forbiddenCall(client: InstallClientName, project: string): PlayedCall | undefined {
  const command = doctorCommand();
  const id = `${DOCTOR_CONVERSATION}${randomUUID()}`;
  const input = { command, description: "A test call of toolkeep doctor" };
  const tool = { tool_name: "Bash", tool_input: input, tool_use_id: id, hook_event_name: "PreToolUse" };
  const common = { session_id: id, cwd: project, transcript_path: join(project, `${id}.jsonl`) };
  switch (client) {
    case "claude-code":
      return {
        payload: { ...common, permission_mode: "default", ...tool },
        environment: { CLAUDE_PROJECT_DIR: project, CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: id },
      };
    case "codex":
      return { payload: { ...common, turn_id: id, permission_mode: "default", ...tool }, environment: {} };
    case "cursor":
      return {
        payload: {
          ...{ conversation_id: id, generation_id: id, hook_event_name: "beforeShellExecution" },
          ...{ workspace_roots: [project], command, cwd: project, sandbox: false },
        },
        environment: { CURSOR_PROJECT_DIR: project },
      };
    case "copilot":
      return {
        payload: { sessionId: id, timestamp: Date.now(), cwd: project, toolName: "bash", toolArgs: input },
        environment: {},
      };
    case "opencode":
      return { payload: { tool: "bash", sessionID: id, callID: id, args: input }, environment: {} };
    case "vscode":
      return undefined;
  }
}
