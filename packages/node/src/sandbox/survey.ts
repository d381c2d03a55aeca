import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ToolFailure, type Walls } from "@toolkeep/core";
import { isBeneath, isWithin } from "./beneath.ts";
import { type Find, type FindKind, findAt, identityOf } from "./find.ts";
import { headAmong, kindOfName } from "./obeyed-name.ts";
import { entriesOf, repositoryFinds } from "./repository-finds.ts";

/** Folders that are looked into, all together, before nobody can say any more what is in them. */
const MOST_FOLDERS = 100_000;
const SLICE_MS = 2;

/**
 * Looks beneath folders for protected names and for secrets, without following links. A
 * folder that has not changed is not read again.
 * @throws ToolFailure `unavailable` where there are more than `mostFolders`.
 */
export async function survey(
  roots: readonly string[],
  mostFolders: number | undefined = MOST_FOLDERS,
): Promise<readonly Find[]> {
  const finds: Find[] = [];
  const waiting = [...roots];
  let seen = 0;
  let until = performance.now() + SLICE_MS;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    seen += 1;
    if (seen > mostFolders) throw tooMany(roots, mostFolders);
    const folder = look(path);
    for (const find of folder.finds) finds.push(find);
    for (const name of folder.folders) waiting.push(join(path, name));
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + SLICE_MS;
  }
  return finds;
}

/** Where to look for the walls of a command: not among the programs of the system, which are open to everybody. */
export function surveyedPlaces({ read, write }: Pick<Walls, "read" | "write">): readonly string[] {
  const paths = [...new Set([...read, ...write])].filter((path) => !isWithin(path, "/usr"));
  return paths.filter((path) => !paths.some((other) => isBeneath(path, other)));
}

interface Folder {
  /** Names of the folders to look into next. */
  readonly folders: readonly string[];
  readonly finds: readonly Find[];
  /** The time of the folder does not show every change of what was found. */
  readonly isDeep: boolean;
}

const NOTHING: Folder = { folders: [], finds: [], isDeep: false };
const MOST_REMEMBERED = 200_000;

/** Two changes within one tick of the clock have the same time. */
const RECENT_MS = 1_000;

const remembered = new Map<string, Folder & { readonly stamp: string }>();

function look(path: string): Folder {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || !stats.isDirectory()) return NOTHING;
  const stamp = `${identityOf(stats)}:${stats.ctimeNs}`;
  const known = remembered.get(path);
  if (known?.stamp === stamp) return known;
  const folder = readFolder(path, identityOf(stats));
  remembered.delete(path);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const isSettled = Date.now() - Number(stats.ctimeMs) > RECENT_MS;
  if (isSettled && !folder.isDeep) remembered.set(path, { ...folder, stamp });
  return folder;
}

/** What is installed is run as it is; to look for settings in it would find those of every package. */
const INSTALLED: ReadonlySet<string> = new Set(["node_modules", "site-packages"]);

function readFolder(path: string, identity: string): Folder {
  const entries = entriesOf(path);
  const here = basename(path);
  const folders: string[] = [];
  const finds: Find[] = [];
  for (const entry of entries) {
    const kind = kindOfName(here, entry.name);
    const find = kind === undefined ? undefined : findAt(join(path, entry.name), kind);
    if (find !== undefined) finds.push(find);
    // There may be secrets in what is protected.
    if (entry.isDirectory() && isLookedInto(entry.name, kind)) folders.push(entry.name);
  }
  const repositories = finds.filter(({ kind, type }) => kind === "repository" && type === "folder");
  for (const repository of repositories) finds.push(...repositoryFinds(repository.path));
  const head = headAmong(entries.map(({ name }) => name));
  // Git puts another file in its place whenever it moves, so it is known by its folder.
  if (head !== undefined) {
    finds.push({ path: join(path, head), kind: "head", type: "file", identity: `head of ${identity}` });
    finds.push(...repositoryFinds(path));
  }
  return { folders, finds, isDeep: repositories.length > 0 || head !== undefined };
}

function isLookedInto(name: string, kind: FindKind | undefined): boolean {
  return kind === "protected" || (kind === undefined && !INSTALLED.has(name));
}

function tooMany(roots: readonly string[], mostFolders: number): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `There are more than ${mostFolders} folders beneath ${roots.join(", ")}: too many to look for protected names.`,
    { hint: "Give the tool a smaller folder, or raise `mostFolders` of the sandbox." },
  );
}
