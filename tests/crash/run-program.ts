import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { FROM_SOURCE } from "../from-source.ts";

/** A program of this folder in a process of its own. */
export interface RunningProgram {
  readonly pid: number;
  /** What it has said so far, line by line. */
  readonly lines: readonly string[];
  /** Waits until it has said so many lines. Rejects if it ends before. */
  saidLines(count: number): Promise<void>;
  tell(line: string): void;
  kill(): void;
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** Runs one with our own node, from the sources. */
export function runProgram(
  name: string,
  input: unknown,
  through: readonly [string, ...string[]] | [] = [],
): RunningProgram {
  const program = join(import.meta.dirname, name);
  const argv = [...through, process.execPath, ...FROM_SOURCE, program, JSON.stringify(input)];
  const child = spawn(argv[0] as string, argv.slice(1), { stdio: "pipe" });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const errors: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  child.stdin.on("error", () => {});
  const reading = createInterface({ input: child.stdout });
  reading.on("line", (line) => {
    lines.push(line);
    for (const wake of waiting) wake();
  });
  const read = new Promise<void>((resolve) => reading.once("close", resolve));
  const ended = new Promise<{ code: number | null; errors: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", async (code) => {
      await read;
      for (const wake of waiting) wake();
      resolve({ code, errors: Buffer.concat(errors).toString() });
    });
  });
  return {
    pid: child.pid ?? 0,
    lines,
    async saidLines(count) {
      while (lines.length < count) {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`${name} ended too early: ${Buffer.concat(errors).toString()}`);
        await new Promise<void>((resolve) => waiting.add(resolve));
        waiting.clear();
      }
    },
    tell: (line) => void child.stdin.write(`${line}\n`),
    kill: () => void child.kill("SIGKILL"),
    ended,
  };
}
