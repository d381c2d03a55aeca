import { spawn } from "node:child_process";
import type { CliInput } from "./cli-bench.ts";

/** Whether `script` of util-linux is there, which gives a program a terminal. */
export const hasPseudoTerminal = process.platform === "linux";

/** The keys that a user types once the program shows a text. */
export interface Typing {
  readonly after: string;
  readonly keys: string;
}

const LONGEST_MS = 25_000;

/** Runs a shell line in a terminal, types, and returns what the terminal showed and the exit code. */
export function inTerminal(
  line: string,
  typing: readonly Typing[],
  { env = {}, cwd }: CliInput,
  longestMs = LONGEST_MS,
): Promise<{ readonly code: number | null; readonly shown: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("script", ["-qec", line, "/dev/null"], {
      cwd,
      env: { TERM: "dumb", ...env },
      stdio: "pipe",
      timeout: longestMs,
    });
    const open = [...typing];
    let shown = "";
    child.stdout.on("data", (chunk: Buffer) => {
      shown += chunk.toString("utf8");
      const [next] = open;
      if (next === undefined || !shown.includes(next.after)) return;
      open.shift();
      child.stdin.write(next.keys);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, shown: shown.replaceAll("\r\n", "\n") }));
  });
}
