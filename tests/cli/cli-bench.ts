import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inCrowd } from "../time-limits/crowd.ts";
import { bundledProgram } from "./bundled-program.ts";
import { runInProcess } from "./in-process.ts";

/** Starts the program, instead of the one that `npm install -g` installs. */
export const OWN_COMMAND = [process.execPath, await bundledProgram()] as const;

/** The same as a line for a shell. */
export const OWN_LINE = OWN_COMMAND.map(shellQuoted).join(" ");

/** An argument as a word of a line for a shell. */
export function shellQuoted(arg: string): string {
  return /^[\w./:@=+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;
}

export interface CliOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliInput {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** How long it may take. */
  readonly longestMs?: number;
}

/** A temporary project, home directory and Toolkeep directory. */
export function cliBench() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-cli-")));
  const project = join(base, "project");
  const home = join(base, "home");
  for (const folder of [join(project, ".git"), join(project, "src"), home])
    mkdirSync(folder, { recursive: true });
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TOOLKEEP_HOME: join(base, "toolkeep"),
    LANG: "C.UTF-8",
    // A process that outlives a test would be in the way of the next one. `deciderBench` has one.
    TOOLKEEP_DECIDER: "off",
    NODE_COMPILE_CACHE: `${dirname(OWN_COMMAND[1])}/compiled`,
  };
  return {
    base,
    project,
    home,
    environment,
    /** Writes a file of the project, with its folders. */
    write(path: string, text: string, mode = 0o644): string {
      const file = join(project, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode });
      return file;
    },
    /** Runs the program until it exits. */
    run: (args: readonly string[], input: CliInput = {}) =>
      runProgram([...OWN_COMMAND, ...args], {
        cwd: project,
        ...input,
        env: { ...environment, ...input.env },
      }),
    /** Runs a command in this process: see `runInProcess` for which ones. */
    runHere: (args: readonly string[], { env = {}, cwd = project }: Pick<CliInput, "env" | "cwd"> = {}) =>
      runInProcess(args, { cwd, program: OWN_COMMAND, env: { ...environment, ...env } }),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

export type CliBench = ReturnType<typeof cliBench>;

/** A program that hangs must not outlive its test. */
const LONGEST_MS = inCrowd(30_000);

/** Runs a program until it exits, with only the given environment. */
export function runProgram(
  argv: readonly string[],
  { stdin = "", env = {}, cwd, longestMs = LONGEST_MS }: CliInput,
): Promise<CliOutcome> {
  return new Promise((resolve, reject) => {
    const [program = "", ...args] = argv;
    const child = spawn(program, args, { cwd, env, stdio: "pipe", timeout: longestMs });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString("utf8");
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    // A program may exit before it has read its input.
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
  });
}
