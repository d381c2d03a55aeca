import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRegistry, createSession, type PolicyDefinition, type Registry } from "@toolkeep/core";
import { scriptedApprover } from "@toolkeep/core/testing";
import { noSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { editTool, webFetchTool } from "@toolkeep/tools/internal";
import { memoryAcceptedServers } from "../../packages/mcp/src/servers/memory-accepted-servers.ts";
import type { StdioServer } from "../../packages/mcp/src/servers/server-entry.ts";
import { openMcpSource } from "../../packages/mcp/src/source/open-mcp-source.ts";
import { toldTool } from "../mcp/attacks/told.ts";
import { aiSdkTools } from "./ai-sdk-tools.ts";
import { pageTool } from "./page-tool.ts";
import { restTools } from "./rest-tools.ts";

export type Decision = "allow" | "ask" | "deny";

/** One call, by whichever tool. */
export interface Way {
  readonly name: string;
  readonly tool: string;
  args(target: string): Readonly<Record<string, unknown>>;
}

/** Under what a call is made. */
export interface Situation {
  readonly policy: PolicyDefinition;
  /** The session has read a page before. */
  readonly hasReadPage?: boolean;
}

/** A real workspace, real servers, and every way to the same effects in one registry. */
export async function openStage() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-one-rule-")));
  const root = join(top, "workspace");
  mkdirSync(root);
  const web = await startWeb(root);
  const workspace = await openWorkspace({
    roots: [root],
    // Nothing here runs a command.
    sandbox: noSandbox(),
    sidecars: join(top, "kept"),
    network: {
      privateHosts: [...web.hosts],
      resolve: async () => ["127.0.0.1"],
    },
  });
  const registry = createRegistry();
  const source = openMcpSource({
    registry,
    accepted: memoryAcceptedServers(),
    settings: { pages: { map: "fetch" } },
  });
  for (const entry of [filesServer(root), pagesServer(top)]) await source.add(entry);
  registry.register(editTool() as never);
  registry.register(webFetchTool() as never);
  registry.register(pageTool);
  await restTools(registry, { root, port: web.port });
  await aiSdkTools(registry);
  return {
    root,
    port: web.port,
    registry,
    servers: source.servers,
    put: (path: string, text: string) => put(join(root, path), text),
    text: (path: string) => readFileSync(join(root, path), "utf8"),
    decide: (way: Way, target: string, situation: Situation) =>
      decide({ way, target, situation, registry, workspace }),
    async close() {
      await source.close();
      await web.close();
      await workspace.close();
      rmSync(top, { recursive: true, force: true });
    },
  };
}

interface Asked {
  readonly way: Way;
  readonly target: string;
  readonly situation: Situation;
  readonly registry: Registry;
  readonly workspace: Workspace;
}

/** What is decided, and whether it was carried out. A person who is asked says no. */
async function decide({ way, target, situation, registry, workspace }: Asked) {
  const approver = scriptedApprover("reject");
  const session = await createSession({
    ...workspace.sessionOptions(),
    registry,
    policy: situation.policy,
    approver,
  });
  try {
    if (situation.hasReadPage === true) {
      const page = await session.call({ id: "page", name: "page", arguments: {} });
      if (!page.ok) throw new Error(`The page was not read: ${page.failure?.message}`);
    }
    const { ok, failure } = await session.call({ id: "call", name: way.tool, arguments: way.args(target) });
    const decision: Decision = approver.requests.length > 0 ? "ask" : ok ? "allow" : "deny";
    return { decision, ok, code: failure?.code, message: failure?.message };
  } finally {
    await session.close();
  }
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function filesServer(root: string): StdioServer {
  const at = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/package.json");
  return server("files", [join(dirname(at), "dist/index.js"), root]);
}

function pagesServer(top: string): StdioServer {
  const told = join(top, "pages.json");
  const inputSchema = { type: "object", properties: { url: { type: "string" } }, required: ["url"] };
  writeFileSync(told, JSON.stringify({ tools: [toldTool("fetch", { inputSchema })] }));
  return server("pages", [
    join(import.meta.dirname, "../mcp/attacks/told-server.ts"),
    told,
    join(top, "pages.log"),
  ]);
}

function server(name: string, args: readonly string[]): StdioServer {
  return { kind: "stdio", name, isOfProject: false, command: process.execPath, args, env: {} };
}

/** Answers on loopback under two names. A PUT is written into the workspace. */
async function startWeb(root: string) {
  const web = createServer(async (request, response) => {
    const chunks: Buffer[] = await request.toArray();
    if (request.method === "PUT") {
      const { text } = JSON.parse(Buffer.concat(chunks).toString()) as { text: string };
      put(join(root, decodeURIComponent(request.url ?? "").replace("/files/", "")), text);
    }
    response.writeHead(200, { "content-type": "text/plain" }).end("a page");
  });
  await new Promise<void>((done) => web.listen(0, "127.0.0.1", done));
  const { port } = web.address() as AddressInfo;
  return {
    port,
    hosts: ["docs.test", "evil.test", "files.test"].map((host) => `${host}:${port}`),
    async close() {
      web.closeAllConnections();
      await new Promise((done) => web.close(done));
    },
  };
}
