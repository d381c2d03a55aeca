import { spawn } from "node:child_process";

interface ClientProcess {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Called with each line that it writes. */
  onLine?(line: string, send: (message: unknown) => void, end: () => void): void;
  /** What is sent first. */
  readonly first?: readonly unknown[];
}

/** A client that hangs must not hold up the campaign. */
const LONGEST_MS = 180_000;
const KEPT = 4_000;
/** A program may stay although its input has ended. */
const GRACE_MS = 5_000;

/** Runs a client until it exits. Messages are lines of JSON in both directions. */
export function runClient({ argv, cwd, environment, onLine, first }: ClientProcess): Promise<string> {
  const [program, ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: environment, stdio: "pipe", timeout: LONGEST_MS });
    let written = "";
    let rest = "";
    const keep = (text: string) => {
      written = (written + text).slice(-KEPT);
    };
    const send = (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`);
    const end = () => {
      child.stdin.end();
      setTimeout(() => child.kill(), GRACE_MS).unref();
    };
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", keep);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      keep(text);
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("{")) onLine?.(line, send, end);
    });
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(`${written}\nended with ${code ?? signal}`));
    for (const message of first ?? []) send(message);
    if (first === undefined) end();
  });
}
