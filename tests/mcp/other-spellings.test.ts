import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRegistry, createSession, type Rule } from "@toolkeep/core";
import { noSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { memoryAcceptedServers } from "../../packages/mcp/src/servers/memory-accepted-servers.ts";
import type { McpSource } from "../../packages/mcp/src/source/mcp-source.ts";
import { openMcpSource } from "../../packages/mcp/src/source/open-mcp-source.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-spellings-")));
const root = join(top, "workspace");
const registry = createRegistry();
let source: McpSource;
let workspace: Workspace;

beforeAll(async () => {
  for (const folder of ["PRIVATE_KEYS", "re\u0301sume\u0301"]) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "a.txt"), "SECRET");
  }
  source = openMcpSource({ registry, accepted: memoryAcceptedServers() });
  const at = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/package.json");
  const args = [join(dirname(at), "dist/index.js"), root];
  await source.add({
    kind: "stdio",
    name: "files",
    isOfProject: false,
    command: process.execPath,
    args,
    env: {},
  });
  workspace = await openWorkspace({ roots: [root], sandbox: noSandbox(), sidecars: join(top, "kept") });
});

afterAll(async () => {
  await source.close();
  await workspace.close();
  rmSync(top, { recursive: true, force: true });
});

/** What the server itself answers when it is asked directly. */
async function answered(path: string): Promise<string> {
  const { signal } = new AbortController();
  const call = { tool: "read_text_file", arguments: { path }, signal, onProgress() {}, ask: async () => [] };
  return JSON.stringify(await source.connection("files")?.call(call));
}

async function read(path: string) {
  const rules: readonly Rule[] = [
    { permission: "fs.read", pattern: "{workspace}/**", action: "allow" },
    ...["PRIVATE_KEYS", "re\u0301sume\u0301"].map(
      (name): Rule => ({ permission: "fs.*", pattern: `{workspace}/${name}/**`, action: "deny" }),
    ),
  ];
  const session = await createSession({ ...workspace.sessionOptions(), registry, policy: { rules } });
  try {
    return await session.call({ id: "c", name: "files_read_text_file", arguments: { path } });
  } finally {
    await session.close();
  }
}

test.each([
  ["the sign for kelvin", "PRIVATE_\u212AEYS"],
  ["composed letters", "r\u00e9sum\u00e9"],
  ["letters of both kinds", "r\u00e9sume\u0301"],
])("a rule that denies a folder holds for what the server for files takes for it: %s", async (_how, name) => {
  const path = join(root, name, "a.txt");
  // Else this test would show nothing.
  expect(await answered(path)).toContain("SECRET");
  const { ok, failure } = await read(path);
  expect(ok).toBe(false);
  expect(failure?.code).toBe("effects_failed");
});

test("a folder that is denied by its own name is denied", async () => {
  expect((await read(join(root, "PRIVATE_KEYS/a.txt"))).failure?.code).toBe("denied");
});
