import { spawn } from "node:child_process";
import { ROOT } from "./root.ts";

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** How a program ended; `code` is null when a signal ended it. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a program runs and which output is shown while it does. */
export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Send all output on to our own stderr as it comes, besides collecting it. */
  readonly show?: boolean;
}

/** Runs a program to its end without a shell and without stdin; the caller decides what a failure means. */
export function runProgram([program, ...args]: Command, options: ProgramOptions = {}): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text;
        if (options.show) process.stderr.write(text);
      });
    }
    child.on("error", reject).on("close", (code) => resolve({ code, ...output }));
  });
}

/** Runs a program like `runProgram` and throws with its whole output unless it succeeded. */
export async function mustRun(command: Command, options: ProgramOptions = {}): Promise<ProgramEnd> {
  const end = await runProgram(command, options);
  if (end.code === 0) return end;
  throw new Error(`${command.join(" ")} ended with ${end.code}\n${end.stdout}${end.stderr}`);
}

/** Runs npm in a folder; throws unless it succeeded. */
export function runNpm(args: readonly string[], folder: string): Promise<ProgramEnd> {
  // A parent `npm run` names its own project in this variable, and npm would act there.
  return mustRun(["npm", ...args], { cwd: folder, env: { npm_config_local_prefix: folder } });
}
