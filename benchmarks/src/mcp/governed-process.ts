import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PolicyDefinition } from "@toolkeep/core";
import { fileAcceptedServers, openGateway } from "@toolkeep/mcp";
import type { ServerEntry } from "@toolkeep/mcp/internal";
import { noSandbox, openWorkspace } from "@toolkeep/node";
import { openSqliteStore } from "@toolkeep/sqlite";
import { NODE_OPTIONS, startHttp } from "./reach.ts";
import { announce, type Wire } from "./serve-on.ts";

/** Our gateway in front of the same server: a workspace, a policy with rules, and optionally a store. */
const [wire, count, stores] = process.argv.slice(2) as [Wire, string, "memory" | "sqlite"];
const folder = mkdtempSync(join(tmpdir(), "toolkeep-bench-mcp-"));
process.on("SIGTERM", () => process.exit(0));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const root = join(folder, "workspace");
mkdirSync(root);

const POLICY: PolicyDefinition = {
  rules: [
    { permission: "fs.read", pattern: "{workspace}/**", action: "allow" },
    { permission: "fs.write", pattern: "{workspace}/src/**", action: "allow" },
    { permission: "mcp:echo:delete_*", action: "deny" },
    { permission: "mcp:echo:echo_*", action: "allow" },
    { permission: "git.push", action: "ask" },
  ],
};

const sessionId = "bench";
// With the options of the program.
const store =
  stores === "sqlite" ? openSqliteStore({ path: join(folder, "store"), durability: "normal" }) : undefined;
const workspace = await openWorkspace({
  roots: [root],
  sandbox: noSandbox(),
  ...(store === undefined ? {} : { store }),
});
const gateway = await openGateway({
  servers: [await echoEntry()],
  accepted: fileAcceptedServers(join(folder, "servers.json")),
  searchAbove: "never",
  open: (parts) => workspace.createSession({ ...parts, id: sessionId, policy: POLICY }),
  ...(store === undefined ? {} : { takeAnswers: (give) => store.takeAnswers(sessionId, give) }),
});
await gateway.started;
if (wire === "stdio") {
  void gateway
    .serveStdio()
    .closed.then(() => gateway.close())
    .then(() => process.exit(0));
} else {
  const { url, token } = await gateway.serveHttp();
  announce(url, token);
}

async function echoEntry(): Promise<ServerEntry> {
  const named = { name: "echo", isOfProject: false };
  const words = [...NODE_OPTIONS, fileURLToPath(new URL("echo-process.ts", import.meta.url)), wire, count];
  if (wire === "stdio") return { ...named, kind: "stdio", command: process.execPath, args: words, env: {} };
  const { url } = await startHttp(words);
  return { ...named, kind: "http", url, headers: {} };
}
