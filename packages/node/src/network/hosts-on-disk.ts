import { dirname, join, resolve } from "node:path";
import { commandHosts } from "@toolkeep/core/internal";
import type { LineOnDisk, SimpleCommand } from "@toolkeep/core/ports";
import { folderAfter } from "../commands/on-disk/commands-on-disk.ts";
import { kindAt, textAt } from "../commands/on-disk/entries.ts";
import { repositoryAt } from "../commands/on-disk/git-repository.ts";
import { gitSettings } from "../sandbox/scan/git-records.ts";
import { hostRules } from "./host-rules.ts";
import type { NetworkSettings } from "./network-settings.ts";
import { hostOf, readUrl } from "./read-url.ts";

const MOST_HOSTS = 16;

/**
 * The hosts that the commands of a line need: those that their words name, the registries that the project configures,
 * and the remotes of the repository. Files of the project are read, and nothing is started. What a changed
 * configuration names is an effect like any other, and so decided on.
 */
export async function hostsOnDisk(
  { commands, folder = "/" }: LineOnDisk,
  settings: NetworkSettings = {},
): Promise<readonly string[]> {
  const hosts = new Set<string>();
  let at = folder;
  for (const command of commands) {
    for (const host of hostsOfCommand(command, at)) if (!isOwnLoopback(host, settings)) hosts.add(host);
    at = await folderAfter(command, at);
  }
  return [...hosts].slice(0, MOST_HOSTS);
}

function hostsOfCommand({ argv }: SimpleCommand, folder: string): readonly string[] {
  const { hosts, configured } = commandHosts(argv);
  if (configured === undefined) return hosts;
  const where = resolve(folder, folderGiven(argv) ?? ".");
  if (configured === "git") return [...hosts, ...remoteHosts(where)];
  return [...hosts, ...registryHosts(where, configured)];
}

/** Options of git and of package managers that name the folder to work in. */
function folderGiven(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => /^(?:-C|--prefix|--dir|--cwd)$/.test(word));
  return at < 0 ? undefined : argv[at + 1];
}

const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** It means the sandbox itself, unless the host application opens a server of this machine by that name. */
function isOwnLoopback(host: string, { privateHosts = [] }: NetworkSettings): boolean {
  if (!LOOPBACK.test(host)) return false;
  const rules = hostRules({ privateHosts });
  try {
    rules.checkAddress(host, "127.0.0.1");
    return false;
  } catch {
    return true;
  }
}

const DEFAULTS = {
  npm: ["registry.npmjs.org"],
  yarn: ["registry.yarnpkg.com", "registry.npmjs.org"],
} as const;

const FILES: readonly (readonly [name: string, setting: RegExp])[] = [
  [".npmrc", /^[ \t]*(?:(?<scope>@[^:=\s]+):)?registry[ \t]*=[ \t]*["']?(?<url>[^"'\s]+)/gm],
  [".yarnrc", /^[ \t]*"?(?:(?<scope>@[^:\s"]+):)?registry"?[ \t]+"?(?<url>[^"\s]+)/gm],
  [".yarnrc.yml", /^(?<scope>[ \t]+)?npmRegistryServer[ \t]*:[ \t]*["']?(?<url>[^"'\s]+)/gm],
];

/** The registries that the project names, and the usual ones unless it names another for all packages. */
function registryHosts(folder: string, configured: "npm" | "yarn"): readonly string[] {
  const hosts: string[] = [];
  let isReplaced = false;
  for (const at of projectFolders(folder))
    for (const [name, setting] of FILES)
      for (const { groups } of (textAt(join(at, name)) ?? "").matchAll(setting)) {
        const host = hostIn(groups?.["url"]);
        if (host === undefined) continue;
        hosts.push(host);
        isReplaced ||= groups?.["scope"] === undefined;
      }
  return isReplaced ? hosts : [...DEFAULTS[configured], ...hosts];
}

const MOST_FOLDERS = 16;

/** From where a command runs up to the top of its repository: a package of a monorepo is configured at the top. */
function projectFolders(folder: string): readonly string[] {
  const folders: string[] = [];
  for (let at = folder; folders.length < MOST_FOLDERS; at = dirname(at)) {
    folders.push(at);
    if (kindAt(join(at, ".git")) !== undefined) return folders;
    if (at === dirname(at)) break;
  }
  return folders.slice(0, 1);
}

const REMOTES: ReadonlySet<string> = new Set(["remote.url", "remote.pushurl", "submodule.url"]);

/** Of all remotes, because which one git takes depends on the branch. Those of SSH have no host that could be reached. */
function remoteHosts(folder: string): readonly string[] {
  const repository = repositoryAt(folder, []);
  if (repository === undefined) return [];
  const { top, store } = repository;
  const shared = resolve(store, (textAt(join(store, "commondir")) ?? ".").trim());
  return [join(shared, "config"), join(store, "config.worktree"), join(top, ".gitmodules")]
    .flatMap((file) => gitSettings(textAt(file) ?? ""))
    .filter(({ name }) => REMOTES.has(name))
    .flatMap(({ value }) => hostIn(value) ?? []);
}

/** Credentials in the address do not matter here. */
function hostIn(text: string | undefined): string | undefined {
  const address = text?.replace(/^(https?:\/\/)[^@/?#]*@/i, "$1");
  if (address === undefined || !/^https?:\/\//i.test(address)) return undefined;
  try {
    return hostOf(readUrl(address));
  } catch {
    return undefined;
  }
}
