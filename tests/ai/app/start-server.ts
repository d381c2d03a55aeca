import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { FROM_SOURCE } from "../../from-source.ts";

export interface RunningServer {
  readonly url: string;
  /** Its output so far. */
  output(): string;
  /** Kills it without cleanup. */
  kill(): Promise<void>;
}

/** Starts one of the two servers as a separate process. */
export async function startServer(
  name: "governed" | "ungoverned",
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const program = join(import.meta.dirname, `${name}-server.ts`);
  const child = spawn(process.execPath, [...FROM_SOURCE, program], {
    env: { ...process.env, ...env, APP_FOLDER: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
  }
  const port = await portOf(child, () => printed);
  return {
    url: `http://127.0.0.1:${port}/`,
    output: () => printed,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function portOf(child: ChildProcess, printed: () => string): Promise<string> {
  for (;;) {
    const port = /listening (\d+)/.exec(printed())?.[1];
    if (port !== undefined) return port;
    if (child.exitCode !== null) throw new Error(`The server ended: ${printed()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
