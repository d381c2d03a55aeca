import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createRegistry, createSession } from "@toolkeep/core";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { createProjectTrust, openSandbox, openToolFolders, openWorkspace } from "@toolkeep/node";
import { trustStore } from "@toolkeep/node/internal";
import { bashTool } from "@toolkeep/tools/internal";

const OWNER = 12_345;

/** A command within the sandbox rewrites a package; then the project's own tool, which uses it, is called. */
export interface WholeSession {
  readonly commandExit: unknown;
  readonly tool: string;
  /** Whether what the command wrote ran in the host process. */
  readonly ran: boolean;
  readonly asked: readonly string[];
  /** What a module of a host application that lies in the project loads by itself. */
  readonly host: string;
}

export async function wholeSession(how: "guarded" | "open"): Promise<WholeSession> {
  const base = realpathSync(mkdtempSync("/tmp/whole-"));
  const project = join(base, "project");
  const planted = `exports.v = () => { require('fs').writeFileSync('${base}/RAN', ''); return 'EVIL'; }`;
  const files = {
    ".git/HEAD": "ref: refs/heads/main",
    "package.json": '{ "scripts": { "test": "sh test.sh" } }',
    "test.sh": `echo "${planted}" > node_modules/pkg/rules/one.js`,
    "node_modules/pkg/package.json": '{ "name": "pkg", "main": "index.js" }',
    "node_modules/pkg/index.js": "exports.v = (name) => require('./rules/' + name + '.js').v()",
    "node_modules/pkg/rules/one.js": "exports.v = () => 'good'",
    ".toolkeep/tools/lint.ts": `import { defineTool } from "@toolkeep/core"; import { v } from "pkg";
export default defineTool({ name: "lint", description: "x", requires: {}, inputSchema: { type: "object" }, execute: () => String(v("one")) });`,
    "app/main.mjs": "export const load = async () => (await import('./later.mjs')).word;",
    "app/later.mjs": "export const word = 'loaded';",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  const owners = process.getuid?.() === 0 ? [OWNER] : [];
  if (owners.length > 0) giveAway(project);
  chmodSync(base, 0o755);
  const app: { load(): Promise<string> } = await import(pathToFileURL(join(project, "app/main.mjs")).href);

  const asked: string[] = [];
  const registry = createRegistry();
  const trust = createProjectTrust({
    owners,
    store: trustStore(join(base, "state/trust.json")),
    decide: ({ why, things }) => (asked.push([why, ...things].join(" ")) === 1 ? "trust" : "decline"),
  });
  const source = openToolFolders({ registry, owners, trust, userFolder: false });
  await source.enter(project);
  const workspace = await openWorkspace({
    ...{ roots: [project], sandbox: await openSandbox(), sidecars: join(base, "kept") },
    ...(how === "guarded" ? { guarded: () => source.imports } : {}),
  });
  registry.register(bashTool());
  const session = await createSession({
    ...{ ...workspace.sessionOptions(), registry, policy: { ...RECOMMENDED_POLICY, mode: "ask" as const } },
    approver: { approve: () => Promise.resolve({ verdict: "once", by: "person" }) },
  });
  const call = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const result = await session.call({ id: name, name, arguments: args });
    return result.ok ? result.data : `${result.failure?.code}: ${result.failure?.message}`;
  };
  const command = await call("bash", { command: "npm test" });
  const tool = String(await call("lint", {}));
  await source.reload();
  const ran = existsSync(join(base, "RAN"));
  const host = await app.load();
  await workspace.close();
  return { commandExit: (command as { exitCode?: number }).exitCode ?? command, tool, ran, asked, host };
}

function giveAway(path: string): void {
  chownSync(path, OWNER, OWNER);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveAway(join(path, name));
}
