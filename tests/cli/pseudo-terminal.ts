import { spawn } from "node:child_process";
import { inCrowd } from "../time-limits/crowd.ts";
import type { CliInput } from "./cli-bench.ts";

/** Whether `script` of util-linux is there, which gives a program a terminal. */
export const hasPseudoTerminal = process.platform === "linux";

/** The keys that a user types once the program shows a text. */
export interface Typing {
  readonly after: string;
  readonly keys: string;
  /** Whether it is one key of a prompt, which ignores keys at first: it is pressed until more is shown. */
  readonly isPressed?: true;
  /** What happens while the question waits. */
  meanwhile?(): unknown;
}

const PRESS_MS = 700;

const LONGEST_MS = inCrowd(30_000);

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
    let from = 0;
    let pressing: NodeJS.Timeout | undefined;
    child.stdout.on("data", (chunk: Buffer) => {
      shown += chunk.toString("utf8");
      if (chunk.includes("\n")) clearInterval(pressing);
      const [next] = open;
      const at = next === undefined ? -1 : shown.indexOf(next.after, from);
      if (next === undefined || at === -1) return;
      next.meanwhile?.();
      if (next.isPressed !== true) child.stdin.write(next.keys);
      else pressing = setInterval(() => child.stdin.write(next.keys), PRESS_MS);
      from = at + next.after.length;
      open.shift();
    });
    child.on("error", reject);
    child.on("close", (code) => {
      clearInterval(pressing);
      resolve({ code, shown: shown.replaceAll("\r\n", "\n") });
    });
  });
}
