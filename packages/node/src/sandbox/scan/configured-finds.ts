import { readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { isBeneath, isProtectedName, isWithin, unlessThrown } from "@toolkeep/core/internal";
import { namesIn } from "../../files/entries.ts";
import { readSmallFile } from "../../files/read-small-file.ts";
import { type GitSetting, gitSettings } from "../../git/git-config.ts";
import { type Find, findAt } from "./find.ts";

const CONFIGURATION = /^config(?:\.worktree)?$/i;
const INCLUDES: ReadonlySet<string> = new Set(["include.path", "includeif.path"]);
const FILES: ReadonlySet<string> = new Set(["core.hookspath", "core.attributesfile"]);

/** As deep as git itself follows. */
const DEEPEST = 10;
const MOST_BYTES = 2 ** 20;

/**
 * What the configuration of the repositories that were found makes git use: the folder of hooks, included files,
 * attributes. Their names are not protected otherwise. Of the settings for all repositories, what leads to where
 * commands can write.
 */
export function configuredFinds(finds: readonly Find[], options: ConfiguredOptions): readonly Find[] {
  const { write, isAutoExecuted } = options;
  return configurationsAmong(finds.filter(isAutoExecuted)).flatMap((path) => {
    const around = [...write, dirname(path)];
    return [...namedIn(path, options)].flatMap((one) => [...linksOn(one, write), ...endFinds(one, around)]);
  });
}

function configurationsAmong(finds: readonly Find[]): readonly string[] {
  return finds
    .filter(
      ({ path, kind, type }) =>
        kind === "protected" && type !== "folder" && CONFIGURATION.test(basename(path)),
    )
    .map(({ path }) => path);
}

/** Where these settings, and links that decide what is run, lead: whether something is there or not. */
export function decidingPaths(finds: readonly Find[], write: readonly string[]): readonly string[] {
  const links = finds.filter(({ type, kind }) => type === "link" && kind !== "secret");
  const named = configurationsAmong(finds).flatMap((path) => [
    ...namedIn(path, { write, isAutoExecuted: () => true }),
  ]);
  const ends = links.map(({ path }) => resolve(dirname(path), unlessThrown(() => readlinkSync(path)) ?? "."));
  return [...new Set([...named, ...ends].flatMap((path) => [path, endOf(path)]))];
}

function endOf(path: string): string {
  const real = unlessThrown(() => realpathSync.native(path));
  return real ?? (path === "/" ? path : join(endOf(dirname(path)), basename(path)));
}

function namedIn(path: string, { write, isAutoExecuted }: ConfiguredOptions): ReadonlySet<string> {
  const repository = dirname(path);
  const own = autoExecutedBy({ file: path, repository, depth: 0, isAutoExecuted });
  const isOurs = (one: string) => write.some((folder) => isBeneath(one, folder));
  const isOfUser = (find: Find) => !isOurs(find.path) || isAutoExecuted(find);
  const general = settingsForAll()
    .flatMap((file) => autoExecutedBy({ file, repository, depth: 0, isAutoExecuted: isOfUser }))
    .filter(isOurs);
  return new Set([...own, ...general]);
}

/** The files with git's settings of the machine and of the user. */
function settingsForAll(): readonly string[] {
  const {
    GIT_CONFIG_SYSTEM: system = "/etc/gitconfig",
    GIT_CONFIG_GLOBAL: user,
    XDG_CONFIG_HOME: folder = expanded("~/.config"),
  } = process.env;
  return [system, ...(user === undefined ? [join(folder, "git/config"), expanded("~/.gitconfig")] : [user])];
}

interface ConfiguredOptions {
  readonly write: readonly string[];
  /** Not what a command created: that is removed, and following its settings would remove the user's own files with it. */
  readonly isAutoExecuted: (find: Find) => boolean;
}

interface Configuration {
  readonly file: string;
  readonly repository: string;
  readonly depth: number;
  readonly isAutoExecuted: ConfiguredOptions["isAutoExecuted"];
}

function autoExecutedBy(configuration: Configuration): readonly string[] {
  const { file, repository, depth, isAutoExecuted } = configuration;
  const settings = settingsIn(file);
  const included = valuesOf(settings, INCLUDES).map((value) => resolve(dirname(file), expanded(value)));
  const followed = depth < DEEPEST ? included.filter((path) => endFinds(path, []).some(isAutoExecuted)) : [];
  const files = valuesOf(settings, FILES).map(expanded);
  const worktrees = files.length === 0 ? [] : worktreesOf(repository, settings);
  return [
    ...included,
    ...followed.flatMap((path) => autoExecutedBy({ ...configuration, file: path, depth: depth + 1 })),
    ...files.flatMap((value) => worktrees.map((folder) => resolve(folder, value))),
  ];
}

function valuesOf(settings: readonly GitSetting[], names: ReadonlySet<string>): readonly string[] {
  return settings.filter(({ name, value }) => names.has(name) && value !== "").map(({ value }) => value);
}

function expanded(value: string): string {
  if (!value.startsWith("~/")) return value;
  return unlessThrown(() => join(homedir(), value.slice(2))) ?? value;
}

/** Wherever git could be standing when it looks for hooks. */
function worktreesOf(repository: string, settings: readonly GitSetting[]): readonly string[] {
  const said = valuesOf(settings, new Set(["core.worktree"])).map((value) => resolve(repository, value));
  const kept = join(repository, "worktrees");
  const linked = namesIn(kept).map((name) => dirname(textOf(join(kept, name, "gitdir")).trim()));
  const around = basename(repository).toLowerCase() === ".git" ? [dirname(repository)] : [];
  return [...around, repository, ...said, ...linked.filter((path) => path.startsWith("/"))];
}

const read = new Map<string, { readonly stamp: string; readonly settings: readonly GitSetting[] }>();

function settingsIn(path: string): readonly GitSetting[] {
  const stats = unlessThrown(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
  if (stats === undefined || !stats.isFile()) return [];
  const stamp = `${stats.dev}:${stats.ino}:${stats.size}:${stats.ctimeNs}`;
  const known = read.get(path);
  const isSettled = Date.now() - Number(stats.ctimeMs) > 1_000;
  if (known?.stamp === stamp && isSettled) return known.settings;
  const settings = gitSettings(textOf(path));
  if (read.size > 1_000) read.clear();
  read.set(path, { stamp, settings });
  return settings;
}

function textOf(path: string): string {
  const file = unlessThrown(() => readSmallFile(path, { mostBytes: MOST_BYTES, followsLinks: true }));
  return file?.bytes.toString() ?? "";
}

/** A link on the way decides too where it ends. */
function linksOn(path: string, write: readonly string[]): readonly Find[] {
  const finds: Find[] = [];
  for (let at = path; write.some((folder) => isBeneath(at, folder)); at = dirname(at)) {
    const find = foundAt(at);
    if (find?.type === "link") finds.push(find);
  }
  return finds;
}

/** What is there in the end. Of a folder that contains more than hooks, only the hooks, by their names. */
function endFinds(path: string, directories: readonly string[]): readonly Find[] {
  const end = unlessThrown(() => realpathSync.native(path));
  if (end === undefined) return [];
  const isAround = directories.some((folder) => isWithin(folder, end));
  const hooks = namesIn(isAround ? end : "").filter((name) => isProtectedName(`hooks/${name}`));
  const paths = isAround ? hooks.map((name) => join(end, name)) : [end];
  return paths.flatMap((one) => foundAt(one) ?? []);
}

function foundAt(path: string): Find | undefined {
  return unlessThrown(() => findAt(path, "protected"));
}
