import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Wire } from "./serve-on.ts";

/** A client of a child process. */
export interface Reached {
  readonly client: Client;
  close(): Promise<void>;
}

export const NODE_OPTIONS = ["--no-warnings"];

export function startEcho(wire: Wire, tools: number): Promise<Reached> {
  return reach(wire, "echo-process.ts", [wire, String(tools)]);
}

/** Starts a program of this folder and connects to it. */
export async function reach(wire: Wire, file: string, args: readonly string[]): Promise<Reached> {
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const words = [...NODE_OPTIONS, fileURLToPath(new URL(file, import.meta.url)), ...args];
  if (wire === "stdio") {
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: words,
        env: plainEnvironment(),
        stderr: "inherit",
      }),
    );
    return { client, close: () => client.close() };
  }
  const { child, url, token } = await startHttp(words);
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return {
    client,
    async close() {
      await client.close();
      child.stdin?.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** Starts a program that prints its URL on its first line. */
export async function startHttp(
  words: readonly string[],
): Promise<{ child: ChildProcess; url: string; token: string }> {
  const child = spawn(process.execPath, words, {
    stdio: ["pipe", "pipe", "inherit"],
    env: plainEnvironment(),
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { child, ...(JSON.parse(line) as { url: string; token: string }) };
}

function plainEnvironment(): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };
}
