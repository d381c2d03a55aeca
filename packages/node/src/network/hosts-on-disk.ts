import { join, resolve } from "node:path";
import { commandHosts, isLoopbackAddress } from "@toolkeep/core/internal";
import type { LineOnDisk, SimpleCommand } from "@toolkeep/core/ports";
import { foldersOf } from "../commands/on-disk/names/moved-folder.ts";
import { textAt } from "../files/entries.ts";
import { gitSettings } from "../git/git-config.ts";
import { repositoryAt } from "../git/git-repository.ts";
import { hostRules } from "./host-rules.ts";
import type { NetworkSettings } from "./network-settings.ts";
import { configuredRegistries, type Registry, urlIn } from "./npm-registries.ts";
import { hostOf } from "./read-url.ts";

const MOST_HOSTS = 16;

/**
 * The hosts that the commands of a line need: those that their words name, the registries that the project or the user
 * configures, and the remotes of the repository. Files are read, and nothing is started. What a changed configuration
 * names is an effect like any other, and so decided on.
 */
export async function hostsOnDisk(
  { commands, folder = "/" }: LineOnDisk,
  settings: NetworkSettings = {},
  home?: string,
): Promise<readonly string[]> {
  const hosts = new Set<string>();
  const folders = await foldersOf(commands, folder);
  for (const [index, command] of commands.entries())
    for (const host of hostsOfCommand(command, folders[index] ?? folder, home))
      if (!isOwnLoopback(host, settings)) hosts.add(host);
  return [...hosts].slice(0, MOST_HOSTS);
}

function hostsOfCommand({ argv }: SimpleCommand, folder: string, home?: string): readonly string[] {
  const { hosts, configured } = commandHosts(argv);
  if (configured === undefined) return hosts;
  const where = resolve(folder, folderGiven(argv) ?? ".");
  if (configured === "git") return [...hosts, ...remoteHosts(where)];
  return [...hosts, ...registryHosts(configuredRegistries(where, home), configured)];
}

/** Options of git and of package managers that name the folder to work in. */
function folderGiven(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => /^(?:-C|--prefix|--dir|--cwd)$/.test(word));
  return at < 0 ? undefined : argv[at + 1];
}

/** It means the sandbox itself, unless the host application opens a server of this machine by that name. */
function isOwnLoopback(host: string, { privateHosts = [] }: NetworkSettings): boolean {
  if (!isLoopbackAddress(host)) return false;
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

/** The registries that are configured, and the usual ones unless another is named for all packages. */
function registryHosts(registries: readonly Registry[], manager: "npm" | "yarn"): readonly string[] {
  const isReplaced = registries.some(({ scope }) => scope === undefined);
  const hosts = registries.map(({ url }) => hostOf(url));
  return isReplaced ? hosts : [...DEFAULTS[manager], ...hosts];
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
    .flatMap(({ value }) => urlIn(value) ?? [])
    .map(hostOf);
}
