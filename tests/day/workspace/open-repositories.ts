import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../../../scripts/root.ts";
import { reachableFolder } from "../../tools/reachable-folder.ts";
import type { LoopbackRegistry } from "./registry.ts";
import { REPOSITORIES, type RepositoryFiles } from "./repository-files.ts";

/** One repository twice: for the commands within the sandbox and for the same ones outside of it. */
export interface Repository {
  readonly name: string;
  readonly inside: string;
  readonly outside: string;
}

export interface Repositories {
  readonly home: string;
  readonly all: readonly Repository[];
  /** One more of the first, for the bug fix. */
  readonly bugFix: string;
  /** The environment of the user. */
  readonly environment: Readonly<Record<string, string>>;
  /** Who runs commands; `undefined` for the user of this process. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  remove(): void;
}

/** Commands never run as root in a sandbox, so root gives the repositories to an ordinary user. */
const ORDINARY = { uid: 1_000, gid: 1_000 };

const GIT_CONFIG = "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n";

export function openRepositories(registry: Pick<LoopbackRegistry, "url" | "usualUrl">): Repositories {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  const base = reachableFolder("day-", join(ROOT, ".cache"));
  const home = join(base, "ada");
  mkdirSync(home);
  writeFileSync(join(home, ".gitconfig"), GIT_CONFIG);
  const user = process.getuid?.() === 0 ? ORDINARY : undefined;
  const PATH = `${nodeOfVersionManager(home)}:/usr/local/bin:/usr/bin:/bin`;
  const environment = { PATH, HOME: home, LANG: "C.UTF-8" };
  const all = REPOSITORIES.map((files) => {
    const { name } = files;
    const [inside, outside] = ["inside", "outside"].map((side) => join(home, side, name)) as [string, string];
    writeRepository(inside, files, { filesInFolder: FILES_IN_FOLDER, registry: registry.url });
    // No command counts these, and they take time to write.
    writeRepository(outside, files, { filesInFolder: 1, registry: registry.url });
    return { name, inside, outside };
  });
  const bugFix = join(home, "shop");
  for (const files of REPOSITORIES.slice(0, 1))
    writeRepository(bugFix, files, { filesInFolder: 1, registry: registry.usualUrl });
  if (user !== undefined) giveTo(home, user);
  for (const cwd of [bugFix, ...all.flatMap(({ inside, outside }) => [inside, outside])])
    execFileSync("/bin/sh", ["-c", "git init -q . && git add -A && git commit -q -m first"], {
      ...{ cwd, env: environment, ...user, stdio: "ignore" },
    });
  return {
    home,
    all,
    bugFix,
    environment,
    user,
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Node as `nvm` installs it, with npm, in the user's home. Returns the folder for PATH. */
function nodeOfVersionManager(home: string): string {
  const folder = join(home, ".nvm/versions/node", process.version);
  const modules = join(folder, "lib/node_modules");
  mkdirSync(join(folder, "bin"), { recursive: true });
  linkOrCopy(process.execPath, join(folder, "bin/node"));
  const npm = dirname(dirname(realpathSync(execFileSync("which", ["npm"], { encoding: "utf8" }).trim())));
  cpSync(npm, join(modules, "npm"), { recursive: true });
  for (const [name, script] of [
    ["npm", "npm-cli.js"],
    ["npx", "npx-cli.js"],
  ] as const)
    symlinkSync(`../lib/node_modules/npm/bin/${script}`, join(folder, "bin", name));
  return join(folder, "bin");
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to);
  }
}

const FILES_IN_FOLDER = 100;

function writeRepository(
  folder: string,
  { tracked, untracked, modules }: RepositoryFiles,
  { filesInFolder, registry }: { readonly filesInFolder: number; readonly registry: string },
): void {
  for (const [path, text] of Object.entries({ ...tracked, ...untracked })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text.replace("{registry}", registry));
    if (text.startsWith("#!")) chmodSync(join(folder, path), 0o755);
  }
  for (let at = 0; at < modules; at += FILES_IN_FOLDER) {
    const module = join(folder, "node_modules", `module-${at / FILES_IN_FOLDER}`);
    mkdirSync(module, { recursive: true });
    writeFileSync(join(module, "package.json"), '{ "version": "1.0.0" }\n');
    for (let file = 1; file < filesInFolder; file += 1) writeFileSync(join(module, `${file}.js`), "1;\n");
  }
}

/** Makes one copy of a repository equal to the other, without `node_modules`. */
export function alignTo(from: string, to: string, user: Repositories["user"]): void {
  for (const name of readdirSync(to))
    if (name !== "node_modules") rmSync(join(to, name), { recursive: true, force: true });
  for (const name of readdirSync(from)) {
    if (name === "node_modules") continue;
    cpSync(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true });
    if (user !== undefined) giveTo(join(to, name), user);
  }
}

function giveTo(path: string, user: { readonly uid: number; readonly gid: number }): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink() || (stats.isFile() && stats.nlink > 1)) return;
  chownSync(path, user.uid, user.gid);
  if (stats.isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), user);
}
