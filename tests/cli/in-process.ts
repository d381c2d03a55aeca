import { vi } from "vitest";
import { runProgram } from "../../packages/cli/src/program.ts";
import type { CliOutcome } from "./cli-bench.ts";

interface InProcess {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What commands take for the program that runs them. */
  readonly program: readonly string[];
}

/**
 * Runs a command in this process, since starting one takes longer than most commands do. For commands that ask
 * nothing and do not wait for an answer; one at a time.
 */
export async function runInProcess(
  args: readonly string[],
  { env, cwd, program }: InProcess,
): Promise<CliOutcome> {
  const { argv, execArgv } = process;
  const before = { env: { ...process.env }, cwd: process.cwd() };
  const output = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((chunk) => {
      output[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
      return true;
    }),
  );
  setEnvironment(env);
  process.chdir(cwd);
  Object.assign(process, { argv: [...program, ...args], execArgv: [] });
  try {
    const code = await runProgram(args);
    return { code, ...output };
  } finally {
    Object.assign(process, { argv, execArgv });
    process.chdir(before.cwd);
    setEnvironment(before.env);
    for (const spy of spies) spy.mockRestore();
  }
}

/** Replaces the variables one by one: only so does the system, which knows the home directory, learn of them. */
function setEnvironment(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
}
