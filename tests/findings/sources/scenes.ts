import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRegistry, createSession } from "@toolkeep/core";
import { memoryAcceptedServers, openMcpSource } from "@toolkeep/mcp/internal";
import { noSandbox, openWorkspace } from "@toolkeep/node";
import { parsePolicy } from "@toolkeep/policy";

/*
 * Runs within the jail alone. Prints what became of each scene, as one JSON object: a name and what was seen.
 */
const seen: Record<string, string> = {};
const top = realpathSync(mkdtempSync(join(tmpdir(), "sources-")));
const root = join(top, "ws");

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

put("a/private/f.txt", "CANARY");
put("far/above/a/private/f.txt", "CANARY");
put("new/locked/f.txt", "PLANTED");
put("ok/deep/g.txt", "harmless");
put("careful/later/h.txt", "to be asked about");
put("closed/inner/i.txt", "not to be looked at");
put("file.txt", "one");
put("asked/g.txt", "harmless");
symlinkSync("a", join(root, "link"));
symlinkSync("asked", join(root, "turning"));
chmodSync(join(root, "closed/inner"), 0o000);

const RULES = [
  'deny fs.* "{workspace}/**/a/private/**"',
  'deny fs.write "{workspace}/kept/locked/**"',
  'deny fs.* "{workspace}/closed/**/never"',
  'ask fs.read "{workspace}/careful/later/**"',
  'ask fs.read "{workspace}/asked/**"',
  'allow fs.* "{workspace}/**"',
];
const text = ["version: 1", "mode: ask", "rules:", ...RULES.map((rule) => `  - '${rule}'`)].join("\n");
const { definition } = parsePolicy(text, { file: "p.yaml", scope: "manifest" });
if (definition === undefined) throw new Error("the policy cannot be read");

const program = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-filesystem/package.json",
);
const registry = createRegistry();
const source = openMcpSource({ registry, accepted: memoryAcceptedServers() });
await source.add({
  kind: "stdio",
  name: "files",
  isOfProject: false,
  command: process.execPath,
  args: [join(dirname(program), "dist/index.js"), root],
  env: {},
});
const workspace = await openWorkspace({ roots: [root], sandbox: noSandbox(), sidecars: join(top, "kept") });
const asked: string[] = [];
/** Whether the person takes so long that a link is turned meanwhile. */
let isTurning = false;
const session = await createSession({
  ...workspace.sessionOptions(),
  registry,
  policy: definition,
  approver: {
    approve: async ({ toolName }) => {
      asked.push(toolName.replace("files_", ""));
      if (!isTurning) return { verdict: "reject", by: "person" };
      rmSync(join(root, "turning"));
      symlinkSync("a/private", join(root, "turning"));
      return { verdict: "once", by: "person" };
    },
  },
});

async function play(scene: string, tool: string, args: Readonly<Record<string, string>>): Promise<void> {
  asked.splice(0);
  const entries = Object.entries(args).map(([name, path]) => [
    name,
    name === "pattern" ? path : join(root, path),
  ]);
  const result = await session.call({
    id: scene,
    name: `files_${tool}`,
    arguments: Object.fromEntries(entries),
  });
  const shown = result.ok
    ? (result.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("")
    : `REFUSED ${result.failure?.code}: ${result.failure?.message}`;
  seen[scene] = [shown, ...asked.map((name) => `asked ${name}`)].join("; ");
}

const move = (scene: string, from: string, to: string) =>
  play(scene, "move_file", { source: from, destination: to });
isTurning = true;
put("a/private/g.txt", "CANARY");
await play("link turned while a person was asked", "read_text_file", { path: "turning/g.txt" });
isTurning = false;
await move("moved whole", "a", "b");
await move("moved from far above", "far", "near");
await move("moved by a name that leads there", "link", "b");
await play("read after the moves", "read_text_file", { path: "b/private/f.txt" });
await move("moved into a denied name", "new", "kept");
await move("moved with a closed folder", "closed", "opened");
await play("tree", "directory_tree", { path: "far" });
await play("search", "search_files", { path: "a", pattern: "f" });
await move("moved with something to ask about", "careful", "careless");
await move("moved a file", "file.txt", "file-2.txt");
await play("listed a harmless folder", "directory_tree", { path: "ok" });
await move("moved a harmless folder", "ok", "ok-2");

await session.close();
await source.close();
process.stdout.write(JSON.stringify(seen));
process.exit(0);
