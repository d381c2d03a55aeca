import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { socketPathOf } from "../../packages/cli/src/hooks/decider/run-folder.ts";
import { type CliBench, type CliOutcome, cliBench, OWN_COMMAND, runProgram } from "./cli-bench.ts";
import { type Payload, payloadsOf } from "./payloads.ts";

/** A bench whose hooks use a decider. */
export interface DeciderBench extends CliBench {
  /** The directory of the socket. */
  readonly folder: string;
  readonly hookEnvironment: Readonly<Record<string, string>>;
  /** Runs a hook of Claude Code as a process. */
  hook(payload: Payload, options?: HookOptions): Promise<CliOutcome>;
  /** The process ids of the deciders of this bench. */
  deciders(): readonly number[];
  /** Waits until so many deciders run. */
  untilDeciders(count: number): Promise<readonly number[]>;
  /** The path of the socket. */
  socket(): string;
}

interface HookOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly program?: string;
}

export function deciderBench(): DeciderBench {
  const bench = cliBench();
  const { TOOLKEEP_DECIDER: _, ...environment } = bench.environment;
  const hookEnvironment = { ...environment, CLAUDE_PROJECT_DIR: bench.project };
  const folder = join(environment.TOOLKEEP_HOME, "state", "run");
  const [node, main] = OWN_COMMAND;
  return {
    ...bench,
    folder,
    hookEnvironment,
    hook: (payload, { env = {}, cwd = bench.project, program = main } = {}) =>
      runProgram([node, program, "hook", "claude-code"], {
        stdin: JSON.stringify(payload),
        env: { ...hookEnvironment, ...env },
        cwd,
      }),
    deciders: () => decidersOf(folder),
    async untilDeciders(count) {
      const until = Date.now() + 60_000;
      for (;;) {
        const found = decidersOf(folder);
        if (found.length === count) return found;
        if (Date.now() > until) throw new Error(`${found.length} deciders run, not ${count}.`);
        await wait(50);
      }
    },
    socket: () => socketIn(folder),
    remove() {
      for (const pid of decidersOf(folder)) kill(pid);
      bench.remove();
    },
  };
}

/** The path of the socket of the program in a directory. */
export function socketIn(folder: string): string {
  const path = socketPathOf({ folder, program: realpathSync(OWN_COMMAND[1]), options: [] });
  if (path === undefined) throw new Error(`The path of a socket in ${folder} is too long.`);
  return path;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** The process ids of the deciders whose socket is in this directory. */
export function decidersOf(folder: string): readonly number[] {
  const rows = execFileSync("ps", ["-A", "-ww", "-o", "pid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return rows.flatMap((row) => {
    const [, pid, state = "", args = ""] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? [];
    return args.includes(` decider ${folder}/`) && !state.startsWith("Z") ? [Number(pid)] : [];
  });
}

/** A payload of Claude Code. */
export function bashPayload(bench: CliBench, command: string, session = "abc123"): Payload {
  const shell = payloadsOf("claude-code", bench)["shell"] as Payload;
  return { ...shell, session_id: session, permission_mode: "auto", tool_input: { command } };
}

export function readPayload(bench: CliBench, path: string, session = "abc123"): Payload {
  const read = payloadsOf("claude-code", bench)["read"] as Payload;
  return { ...read, session_id: session, tool_input: { file_path: path } };
}

/** The decision in an outcome; `blocked` for exit code 2. */
export function decisionIn({ code, stdout }: CliOutcome): string {
  if (code === 2) return "blocked";
  // What the recommended rules allow is left to the client.
  return String(JSON.parse(stdout).hookSpecificOutput?.permissionDecision ?? "allow");
}
