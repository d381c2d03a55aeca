import { realpathSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { Effect } from "@toolkeep/core";
import { isSecretFile, isWithin, unlessThrown } from "@toolkeep/core/internal";
import { type Budget, kindAt, textAt } from "../../../files/entries.ts";
import { blankedSettings } from "../../../git/blanked-settings.ts";
import {
  type IgnoreRules,
  ignoreRulesFor,
  NO_RULES,
  ruleFor,
  rulesBeneath,
} from "../../../git/ignore-rules.ts";
import { type FolderEntries, folderEntries } from "./remembered-folders.ts";
import type { TreeRead } from "./tree-reads.ts";

/** What is looked for in trees. */
export interface TreeLook {
  /** Where the command runs. */
  readonly folder: string;
  readonly roots: readonly string[];
  readonly budget: Budget;
  /** Names that mean something else to a command which is given them. */
  readonly odd?: RegExp | undefined;
  isProtected(path: string): boolean;
}

/** What a tree contains that policy has a rule about. */
export interface TreeFinds {
  /** Files that rules protect, or that have the names of secrets. */
  readonly files: readonly string[];
  /** Where links lead out of the roots. */
  readonly outside: readonly string[];
  readonly odd: readonly string[];
}

const MOST_FILES = 24;

/** Of packages that others publish, and of what tests of those bring: no secrets of anybody here. */
const PUBLISHED = /\/(?:node_modules|site-packages)\//;

export function isGuarded(path: string, { isProtected }: Pick<TreeLook, "isProtected">): boolean {
  return isProtected(path) || (!PUBLISHED.test(path) && isSecretFile(path) && !isHarmlessSettings(path));
}

/** Most projects have an `.npmrc` that holds settings alone, and every search would be refused for it. */
function isHarmlessSettings(path: string): boolean {
  const text = path.endsWith("/.npmrc") ? textAt(path) : undefined;
  return text !== undefined && blankedSettings(Buffer.from(text)) === text;
}

/** What `xargs` makes of names that are none to it. */
export function oddNames(paths: readonly string[], { odd, folder }: TreeLook): readonly Effect[] {
  const names = odd === undefined ? [] : paths.map((path) => relative(folder, path));
  const name = names.find((path) => path.split("/").some((one) => odd?.test(one)));
  if (name === undefined) return [];
  const note =
    `xargs takes the name ${JSON.stringify(name)} for an option or for several names. ` +
    "Separate names by zeros, as in `find -print0 | xargs -0`.";
  return [{ capability: "shell.dynamic", target: "xargs", known: "inferred", note }];
}

/** @throws TooMany if there are more entries than are examined. */
export function findsBeneath(top: string, read: TreeRead, look: TreeLook): TreeFinds {
  const finds: Finds = { files: [], outside: [], odd: [], open: [], seen: new Set() };
  finds.open.push({ path: top, above: read.skipsIgnored ? ignoreRulesFor(dirname(top)) : NO_RULES });
  for (const { path: folder, above } of finds.open) {
    if (finds.files.length >= MOST_FILES) break;
    const entries = folderEntries(folder, look.budget);
    const rules = read.skipsIgnored ? rulesIn(folder, entries, above, read) : NO_RULES;
    for (const name of entries.files) lookAt({ folder, name, kind: "file", rules }, finds, read, look);
    for (const name of entries.folders) lookAt({ folder, name, kind: "folder", rules }, finds, read, look);
    if (read.followsLinks)
      for (const name of entries.links) lookAt({ folder, name, kind: "link", rules }, finds, read, look);
  }
  return finds;
}

interface Finds {
  readonly files: string[];
  readonly outside: string[];
  readonly odd: string[];
  readonly open: { readonly path: string; readonly above: IgnoreRules }[];
  readonly seen: Set<string>;
}

interface Found {
  readonly folder: string;
  readonly name: string;
  readonly kind: "file" | "folder" | "link";
  readonly rules: IgnoreRules;
}

function rulesIn(
  folder: string,
  entries: FolderEntries,
  above: IgnoreRules,
  { isGit }: TreeRead,
): IgnoreRules {
  const { files, folders, links } = entries;
  const has = (name: string) => files.includes(name) || folders.includes(name) || links.includes(name);
  const rules = rulesBeneath(folder, above, has);
  return isGit === true ? { ...rules, own: [] } : rules;
}

function lookAt({ folder, name, kind, rules }: Found, finds: Finds, read: TreeRead, look: TreeLook): void {
  const path = folder === "/" ? `/${name}` : `${folder}/${name}`;
  const led = kind === "link" ? ledTo(path) : path;
  if (led === undefined) return;
  const isFolder = kind === "folder" || (kind === "link" && kindAt(led) === "folder");
  if (isPassedOver(path, name, isFolder, rules, read)) return;
  if (look.odd?.test(name) && (isFolder ? read.entersFolder(name) : read.readsFile(name)))
    finds.odd.push(path);
  if (kind === "link" && !look.roots.some((root) => isWithin(led, root))) finds.outside.push(led);
  else if (isFolder) enter(led, name, rules, finds, read, look);
  else if (read.readsFile(name) && !isExcluded(path, read, look)) {
    if (isGuarded(led, look)) finds.files.push(led);
    else if (led !== path && isGuarded(path, look)) finds.files.push(path);
  }
}

function isExcluded(path: string, { without }: TreeRead, { folder }: TreeLook): boolean {
  return without.size > 0 && without.has(relative(folder, path));
}

function isPassedOver(
  path: string,
  name: string,
  isFolder: boolean,
  rules: IgnoreRules,
  { skipsHidden, bringsBack }: TreeRead,
): boolean {
  const isHidden = skipsHidden && name.startsWith(".");
  if (rules.git.length === 0 && rules.own.length === 0) return isHidden;
  const rule = ruleFor(path, isFolder, rules);
  // Ripgrep searches what is hidden if an ignore file includes it again.
  if (rule !== "ignored") return isHidden && rule === undefined;
  return bringsBack?.(name, isFolder) !== true;
}

function enter(
  path: string,
  name: string,
  rules: IgnoreRules,
  finds: Finds,
  read: TreeRead,
  look: TreeLook,
): void {
  // What git keeps for itself is looked at as one: there are many files, and few names.
  if (name === ".git") {
    if (look.isProtected(`${path}/config`)) finds.files.push(`${path}/config`);
  } else if (read.entersFolder(name) && !finds.seen.has(path)) finds.open.push({ path, above: rules });
  finds.seen.add(path);
}

/** The target of a link; one that leads nowhere is read by nothing. */
function ledTo(path: string): string | undefined {
  return unlessThrown(() => realpathSync(path));
}
