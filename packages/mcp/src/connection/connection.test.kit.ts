import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ServerEntry, StdioServer } from "../servers/server-entry.ts";
import { connect } from "./connect.ts";
import type { ConnectOptions } from "./connect-options.ts";
import type { Connection, RemoteCall } from "./news/connection.ts";

const opened: Connection[] = [];

/** Connects, and remembers it for `closeAll`. */
export async function connected(entry: ServerEntry, options: ConnectOptions = {}): Promise<Connection> {
  const connection = connect(entry, { backoffMs: [30], ...options });
  opened.push(connection);
  await connection.tried;
  return connection;
}

export async function closeAll(): Promise<void> {
  await Promise.all(opened.splice(0).map((connection) => connection.close()));
}

/** The server that can misbehave. */
export function scripted(greeting = "legacy", changes: Partial<StdioServer> = {}): StdioServer {
  return programEntry(new URL("./scripted-server.test.kit.ts", import.meta.url), [greeting], changes);
}

/** The server that speaks both revisions. */
export function bothGenerations(...words: readonly string[]): StdioServer {
  return programEntry(new URL("./both-generations-server.test.kit.ts", import.meta.url), words, {});
}

function programEntry(program: URL, words: readonly string[], changes: Partial<StdioServer>): StdioServer {
  const args = ["--no-warnings", fileURLToPath(program), ...words];
  return {
    kind: "stdio",
    name: "testing",
    command: process.execPath,
    args,
    env: {},
    isOfProject: false,
    ...changes,
  };
}

type CallParts = Partial<Omit<RemoteCall, "tool" | "arguments">>;

/** Calls a tool and gives the text it answered with. */
export async function callText(
  connection: Connection,
  tool: string,
  args: Readonly<Record<string, unknown>> = {},
  parts: CallParts = {},
): Promise<string> {
  const { content } = await connection.call({
    ...{ tool, arguments: args, signal: new AbortController().signal },
    ...parts,
  });
  const [first] = content;
  return first?.type === "text" ? first.text : JSON.stringify(content);
}

/** Waits until something holds, also while a test moves the clock by hand. Fails after so long. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = process.hrtime.bigint() + BigInt(withinMs * 1_000_000);
  while (!(await holds())) {
    if (process.hrtime.bigint() > deadline) throw new Error("It did not come to pass in time.");
    await pause(10);
  }
}

/** Whether a process still runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = process.platform === "linux" ? readFileSync(`/proc/${pid}/stat`, "latin1") : "";
    return !/\) Z /.test(stat);
  } catch {
    return false;
  }
}
