import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Session, SessionOptions, Tool, ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { bubblewrapSandbox, openSandbox, openWorkspace, type WorkspaceOptions } from "@toolkeep/node";
import { codeTools } from "@toolkeep/tools";
import { reachableFolder } from "../tools/reachable-folder.ts";

const sandbox = await openSandbox({ prefer: [bubblewrapSandbox()], orNone: true });
export const NO_SANDBOX = sandbox.isolation === "none" ? ": skipped, bubblewrap does not work here" : "";

const PACKAGES = join(process.cwd(), "node_modules");

export function has(program: string): boolean {
  return spawnSync("which", [program]).status === 0;
}

/** Installs packages of ours as `npm install --prefix` does, with what they depend on. Nothing of ours is changed there. */
export function installPackages(folder: string, names: readonly string[]): void {
  const wanted = [...names];
  for (const name of wanted) {
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(name);
    const more = Object.keys({ ...dependencies, ...optionalDependencies });
    wanted.push(...more.filter((one) => !wanted.includes(one) && existsSync(join(PACKAGES, one))));
  }
  for (const name of wanted) {
    const target = join(folder, name);
    mkdirSync(dirname(target), { recursive: true });
    const linked = spawnSync("cp", ["-al", join(PACKAGES, name), target]);
    if (linked.status !== 0) execFileSync("cp", ["-a", join(PACKAGES, name), dirname(target)]);
  }
}

/** Puts links to the programs of packages into a folder. */
export function linkPrograms(folder: string, packages: string, names: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  for (const name of names)
    for (const [program, path] of Object.entries(manifestOf(name).bin ?? {}))
      symlinkSync(join(packages, name, path), join(folder, program));
}

interface Manifest {
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly bin?: Readonly<Record<string, string>>;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(PACKAGES, name, "package.json"), "utf8")) as Manifest;
}

/** The servers that npm installs, in an installation of their own. */
export function installServers(): { readonly bin: string; remove(): void } {
  const base = reachableFolder(".lsp-");
  const packages = join(base, "installed/lib/node_modules");
  const bin = join(base, "installed/bin");
  installPackages(packages, ["pyright", "bash-language-server"]);
  linkPrograms(bin, "../lib/node_modules", ["pyright", "bash-language-server"]);
  return { bin, remove: () => rmSync(base, { recursive: true, force: true }) };
}

export interface LspProject extends AsyncDisposable {
  readonly root: string;
  /** What was asked of the user. The answer is always no. */
  readonly asked: string[];
  write(files: Readonly<Record<string, string>>): void;
  openSession(options?: Partial<SessionOptions>): Promise<Session>;
}

interface LspPlace {
  /** Folders of the search path; relative ones are in the workspace. */
  readonly path?: readonly string[];
  readonly sandbox?: WorkspaceOptions["sandbox"];
}

/** A workspace with files in a folder of its own. */
export async function openLspProject(
  files: Readonly<Record<string, string>>,
  { path = [], sandbox: given = sandbox }: LspPlace = {},
): Promise<LspProject> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-lsp-")));
  chmodSync(base, 0o711);
  const root = join(base, "root");
  mkdirSync(root);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync("chown", ["12345:12345", root]);
  const write = (more: typeof files) => {
    for (const [name, text] of Object.entries(more)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
    }
  };
  write(files);
  const asked: string[] = [];
  const folders = path.map((folder) => resolve(root, folder));
  const workspace = await openWorkspace({
    roots: [root],
    sandbox: given,
    sidecars: join(base, "sidecars"),
    environment: { values: { PATH: [...folders, "/usr/local/bin", "/usr/bin", "/bin"].join(":") } },
  });
  return {
    root,
    asked,
    write,
    openSession: (options) =>
      workspace.createSession({
        tools: codeTools(),
        policy: RECOMMENDED_POLICY,
        approver: async ({ reason }) => {
          asked.push(reason);
          return { verdict: "reject" };
        },
        ...options,
      }),
    async [Symbol.asyncDispose]() {
      await workspace.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

let calls = 0;

export function ask(
  session: Session,
  args: Readonly<Record<string, unknown>>,
  name: Tool["name"] = "lsp",
): Promise<ToolResult> {
  calls += 1;
  return session.call({ id: `lsp-${calls}`, name, arguments: args });
}

export async function textOf(
  session: Session,
  args: Readonly<Record<string, unknown>>,
  name?: string,
): Promise<string> {
  return modelText(await ask(session, args, name));
}
