import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PolicyDefinition, Rule, Session } from "@toolkeep/core";
import type { Authorizer } from "@toolkeep/core/policy";
import type { Sandbox } from "@toolkeep/core/ports";
import { openSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { bashTool, readTool, writeTool } from "@toolkeep/tools/internal";

if (process.env["HOME"] !== "/tmp") throw new Error("to be run within the jail alone");

const OWNER = 12_345;
const isRoot = process.getuid?.() === 0;
let stages = 0;

/** A new folder with these files, of an ordinary user. */
export function stage(files: Readonly<Record<string, string>>): string {
  stages += 1;
  const folder = `/tmp/stage/${stages}`;
  own(folder, () => mkdirSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) put(join(folder, name), content);
  return folder;
}

export function put(path: string, content: string): void {
  const folder = dirname(path);
  if (!existsSync(folder)) {
    const made = mkdirSync(folder, { recursive: true });
    for (let at = folder; isRoot && at.length >= (made ?? folder).length; at = dirname(at))
      chownSync(at, OWNER, OWNER);
  }
  own(path, () => writeFileSync(path, content));
}

function own(path: string, make: () => void): void {
  make();
  if (isRoot) chownSync(path, OWNER, OWNER);
}

export interface Opened {
  readonly session: Session;
  /** What a shell script printed and what the tool said. */
  sh(script: string): Promise<string>;
  tool(name: string, args: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

const sandbox: Sandbox = await openSandbox();
let calls = 0;

export async function open(
  roots: readonly [string, ...string[]],
  policy: PolicyDefinition,
  more: { readonly authorizer?: Authorizer; readonly parent?: Session } = {},
): Promise<Opened> {
  const workspace = await openWorkspace({ roots, sandbox });
  const { authorizer, parent } = more;
  const background = standardTools({ background: true }).filter(({ name }) => name.startsWith("bash_"));
  const session = await workspace.createSession({
    tools: [bashTool(), readTool(), writeTool(), ...background],
    policy: authorizer ?? policy,
    ...(parent === undefined ? {} : { parent: parent.childContext("child") }),
    approver: async () => ({ verdict: "reject", message: "not here" }),
  } as never);
  return opened(session, workspace, roots[0]);
}

function opened(session: Session, workspace: Workspace, root: string): Opened {
  const tool: Opened["tool"] = async (name, args) => {
    calls += 1;
    const result = await session.call({ id: `c${calls}`, name, arguments: args } as never);
    const { failure } = result;
    if (failure !== undefined) return `REFUSED ${failure.code}: ${failure.message} ${failure.hint ?? ""}`;
    const { content, data } = result as { content?: readonly { text?: string }[]; data?: unknown };
    return content?.map((part) => part.text ?? "").join("") ?? JSON.stringify(data);
  };
  return {
    session,
    tool,
    sh(script) {
      put(join(root, "probe.sh"), script);
      return tool("bash", { command: "sh probe.sh" });
    },
    close: async () => {
      await session.close();
      await workspace.close();
    },
  };
}

/** Everything but what these rules deny. */
export function only(rules: readonly Rule[]): PolicyDefinition {
  return { mode: "yolo", builtIn: "off", rules };
}

export const text = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "(nothing)");
export const deny = (permission: string, pattern: string, more: Partial<Rule> = {}): Rule => ({
  permission,
  pattern,
  action: "deny",
  ...more,
});

function git(root: string, ...args: readonly string[]): void {
  const user = isRoot ? { uid: OWNER, gid: OWNER } : {};
  execFileSync("git", ["-C", root, ...args], { ...user, env: { HOME: "/tmp", PATH: "/usr/bin:/bin" } });
}

/** Made by the user, outside of any sandbox. */
export function repository(root: string): void {
  git(root, "init", "-q");
  git(root, "config", "user.name", "a");
  git(root, "config", "user.email", "a@example.com");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
}
