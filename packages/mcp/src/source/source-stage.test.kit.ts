import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import {
  createRegistry,
  createSession,
  type Registry,
  type Session,
  type SessionOptions,
} from "@toolkeep/core";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { memoryAcceptedServers } from "../servers/memory-accepted-servers.ts";
import type { HttpServer, StdioServer } from "../servers/server-entry.ts";
import type { ConsentRequest, McpSource, McpSourceOptions } from "./mcp-source.ts";
import { openMcpSource } from "./open-mcp-source.ts";
import { SCRIPTED_SERVER, type Script, scriptedServer } from "./scripted-server.test.kit.ts";

/** A source with real servers, their scripts, and the user who is asked. All of it ends with the test. */
interface SourceStage {
  readonly folder: string;
  readonly registry: Registry;
  readonly source: McpSource;
  readonly asked: ConsentRequest[];
  /** A server on loopback that does what its script says. */
  server(name: string, script: Script, more?: Partial<HttpServer>): Promise<HttpServer>;
  /** The same as a program. */
  program(name: string, script: Script): Promise<StdioServer>;
  /** Lets a running server say something else. */
  rewrite(name: string, script: Script): void;
  session(options?: Partial<SessionOptions>): Promise<Session>;
  /** Another source over the same known servers, as a later process has it. */
  again(options?: Partial<McpSourceOptions>): { readonly source: McpSource; readonly registry: Registry };
}

export type StageOptions = Partial<Omit<McpSourceOptions, "consent">> & {
  /** What the user answers. Without it, every question is rejected. */
  readonly says?: (request: ConsentRequest) => boolean | Promise<boolean>;
};

export function sourceStage({ says, ...options }: StageOptions = {}): SourceStage {
  const accepted = options.accepted ?? memoryAcceptedServers();
  const asked: ConsentRequest[] = [];
  const opened: { close(): Promise<void> }[] = [];
  const folder = temporaryFolder(async () => {
    for (const one of opened) await one.close();
  });
  const served = new Map<string, Served>();
  const consent = async (request: ConsentRequest) => {
    asked.push(request);
    return says?.(request) ?? false;
  };
  const again = (more: Partial<McpSourceOptions> = {}) => {
    const registry =
      more.registry ?? (opened.length === 0 ? options.registry : undefined) ?? createRegistry();
    const source = openMcpSource({ owner: folder, consent, ...options, accepted, ...more, registry });
    opened.unshift(source);
    return { source, registry };
  };
  const first = again();
  return {
    ...first,
    again,
    folder,
    asked,
    server: async (name, script, more = {}) => {
      const one = await serve(script);
      opened.push(one);
      served.set(name, one);
      return { kind: "http", name, isOfProject: false, url: one.url, headers: {}, ...more };
    },
    program: async (name, script) => {
      const file = join(folder, `${name}.json`);
      await writeFile(file, JSON.stringify(script));
      const args = ["--conditions=@toolkeep/source", SCRIPTED_SERVER, file];
      return { kind: "stdio", name, isOfProject: false, command: process.execPath, args, env: {} };
    },
    rewrite: (name, script) => served.get(name)?.rewrite(script),
    session: async (more = {}) => {
      const session = await createSession({ registry: first.registry, ...more });
      opened.unshift(session);
      return session;
    },
  };
}

interface Served {
  readonly url: string;
  rewrite(script: Script): void;
  close(): Promise<void>;
}

async function serve(first: Script): Promise<Served> {
  let script = first;
  const mcp = createMcpHandler(() => scriptedServer(() => script, "modern"));
  const handle = toNodeHandler(mcp);
  const server = createServer(
    (request, response) => void handle(request as Parameters<typeof handle>[0], response),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    rewrite: (next) => {
      script = next;
      mcp.notify.toolsChanged();
    },
    close: async () => {
      await mcp.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Waits for something to become true. */
export async function until(isTrue: () => boolean, mostMs = 60_000): Promise<void> {
  const end = performance.now() + mostMs;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`Not so within ${mostMs} ms: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
