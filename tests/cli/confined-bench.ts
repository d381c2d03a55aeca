import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { openSandbox } from "@toolkeep/node";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { type CliBench, type CliInput, type CliOutcome, OWN_COMMAND, runProgram } from "./cli-bench.ts";
import { hookBench } from "./hook-bench.ts";

/** Whether a sandbox can be opened here: without one nothing is confined. */
export const hasSandbox = await openSandbox().then(
  async (sandbox) => {
    await sandbox.close?.();
    return true;
  },
  () => false,
);

/** What `toolkeep exec` is called with. */
export interface Replaced {
  readonly token: string;
  readonly command: string;
  /** The whole line, as the client runs it. */
  readonly line: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A project in which Toolkeep is installed for Claude Code with `--confine`. */
export async function confinedBench(flags: readonly string[] = ["--no-trust"]): Promise<CliBench> {
  const bench = hookBench();
  const { code, stderr } = await bench.run(["init", "claude-code", "--yes", "--confine", ...flags]);
  if (code !== 0) throw new Error(stderr);
  return bench;
}

interface Asked {
  readonly cwd?: string;
  readonly conversation?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly tool?: string;
  /** The project of the client. */
  readonly folder?: string;
  readonly event?: string;
  /** The client's id of the call. */
  readonly callId?: string;
}

/** The answer of the hook to a command. */
export async function askHook(command: string, { project }: CliBench, asked: Asked = {}) {
  const { cwd = project, conversation = crypto.randomUUID(), input = {}, tool = "Bash" } = asked;
  const { event = "PreToolUse", callId } = asked;
  const { stdout, stderr } = await runHook({
    client: "claude-code",
    environment: { CLAUDE_PROJECT_DIR: asked.folder ?? project, CLAUDE_CODE_SESSION_ID: conversation },
    text: JSON.stringify({
      ...{ session_id: conversation, cwd, hook_event_name: event, permission_mode: "default" },
      ...(callId === undefined ? {} : { tool_use_id: callId }),
      ...{ tool_name: tool, tool_input: tool === "Bash" ? { command, ...input } : input },
    }),
  });
  const said = stdout === "" ? {} : (JSON.parse(stdout).hookSpecificOutput ?? {});
  return {
    action: String(said.permissionDecision ?? said.decision?.behavior ?? "none"),
    reason: String(said.permissionDecisionReason ?? said.decision?.message ?? stderr),
    input: said.updatedInput as Readonly<Record<string, unknown>> | undefined,
  };
}

/** The command that the hook puts in the place of this one. */
export async function replaced(command: string, bench: CliBench, asked: Asked = {}): Promise<Replaced> {
  const { input, reason } = await askHook(command, bench, asked);
  if (input === undefined) throw new Error(`The hook replaced nothing: ${reason}`);
  const line = String(input["command"]);
  const [, token = ""] = / --ticket (\S+) -- /.exec(line) ?? [];
  return { token, command, line, input };
}

export function exec(
  bench: CliBench,
  { token, args, ...input }: CliInput & { readonly token: string; readonly args: readonly string[] },
): Promise<CliOutcome> {
  return bench.run(["exec", "--ticket", token, "--", ...args], input);
}

/** Runs a line as the client does, in a shell that tells where it ends. */
export function clientShell(line: string, bench: CliBench, input: CliInput = {}): Promise<CliOutcome> {
  return runProgram(["/bin/bash", "-c", line], {
    cwd: bench.project,
    ...input,
    env: { ...bench.environment, ...input.env },
  });
}

/** Starts `toolkeep exec` without waiting for it. */
export function startExec(bench: CliBench, { token, command }: Replaced): ChildProcess {
  const [program, main] = OWN_COMMAND;
  return spawn(program, [main, "exec", "--ticket", token, "--", command], {
    cwd: bench.project,
    env: bench.environment,
    stdio: "pipe",
  });
}

export function ticketFolder({ environment }: CliBench): string {
  return join(environment.TOOLKEEP_HOME, "state/tickets");
}

/** The files of all tickets that were not taken. */
export function ticketFiles(bench: CliBench): readonly string[] {
  const folder = ticketFolder(bench);
  return readdirSync(folder)
    .filter((name) => name.startsWith("ticket-"))
    .map((name) => join(folder, name));
}

/** Whether the file that a command makes is there; it is removed. */
export function hasRun({ project }: CliBench, name = "RAN"): boolean {
  try {
    // One call: what is written between a look and a removal would be lost.
    unlinkSync(join(project, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
