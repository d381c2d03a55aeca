import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, type SessionOptions, type Tool, type ToolResult } from "@toolkeep/core";
import { noSandbox, openWorkspace, type WorkspaceOptions } from "@toolkeep/node";
import type { EnvironmentOptions } from "@toolkeep/node/internal";
import { ALLOW } from "../scenario.ts";

interface SeenRequest extends Pick<IncomingMessage, "method" | "url" | "headers"> {
  readonly body: string;
}

/** A real server on loopback under several names, and a workspace whose network may reach these names. */
export async function webBench(answer: RequestListener, options: Partial<WorkspaceOptions> = {}) {
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const pieces: Uint8Array[] = await Array.fromAsync(request);
    seen.push({ method, url, headers, body: Buffer.concat(pieces).toString() });
    answer(request, response);
  }).on("connection", (socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-web-")));
  const workspace = await openWorkspace({
    roots: [root],
    // No command runs here.
    sandbox: noSandbox(),
    sidecars: join(root, "sidecars"),
    network: {
      privateHosts: ["one.test", "two.test"].map((host) => `${host}:${port}`),
      resolve: async () => ["127.0.0.1"],
    },
    ...options,
  });
  return {
    seen,
    origin: `http://one.test:${port}`,
    elsewhere: `http://two.test:${port}`,
    /** A session with these tools; everything is allowed by default. */
    session(tools: readonly Tool[], { id, ...more }: SessionOptions = {}) {
      const own = workspace.sessionOptions(id === undefined ? {} : { id });
      const policy = more.policy === undefined ? { policy: ALLOW } : {};
      return createSession({ ...own, tools, ...policy, ...more });
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await workspace.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export type WebBench = Awaited<ReturnType<typeof webBench>>;

/** One call in a new session. */
export async function callOnce(
  bench: WebBench,
  tool: Tool,
  args: Record<string, unknown>,
): Promise<ToolResult> {
  await using session = await bench.session([tool], { limits: { retry: { attempts: 1 } } });
  return await session.call({ id: "c1", name: tool.name, arguments: args });
}

export function environment(values: Record<string, string>): { environment: EnvironmentOptions } {
  return { environment: { values } };
}
