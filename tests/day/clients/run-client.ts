import { spawn } from "node:child_process";

interface ClientProcess {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Called with each line that it writes. */
  onLine?(line: string, send: (message: unknown) => void, end: () => void): void;
  /** Whether it has done everything that it was started for. */
  isOver?(): boolean;
  /** What is sent first. */
  readonly first?: readonly unknown[];
}

/** A client that hangs must not hold up the campaign. */
const LONGEST_MS = 900_000;
/** There is no registry, and no need to try again. */
const QUICK_NPM = { npm_config_fetch_retries: "0" };
const KEPT = 4_000;
/** A program may stay although its input has ended. */
const GRACE_MS = 5_000;

/** Runs a client until it exits. Messages are lines of JSON in both directions. */
export function runClient({ argv, cwd, environment, onLine, isOver, first }: ClientProcess): Promise<string> {
  const [program, ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...{ cwd, env: { ...environment, ...QUICK_NPM }, stdio: "pipe" },
      ...{ timeout: LONGEST_MS, killSignal: "SIGKILL" },
    });
    let written = "";
    let rest = "";
    const keep = (text: string) => {
      written = (written + text).slice(-KEPT);
    };
    const send = (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`);
    const end = () => {
      child.stdin.end();
      setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
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
    // A client may wait for more after its last words.
    const watch = setInterval(() => isOver?.() === true && end(), GRACE_MS);
    child.once("exit", (code, signal) => {
      clearInterval(watch);
      // Something that it started may still have its output open.
      for (const stream of child.stdio) stream?.destroy();
      resolve(`${written}\nended with ${code ?? signal}`);
    });
    for (const message of first ?? []) send(message);
    if (first === undefined) child.stdin.end();
  });
}
