import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { isSecretFile, isWithin } from "@toolkeep/core/internal";
import { type Budget, entriesOf, kindAt } from "./entries.ts";
import { type IgnoredName, ignoredIn } from "./name-pattern.ts";
import type { TreeRead } from "./tree-reads.ts";

/** What is looked for in trees. */
export interface TreeLook {
  /** Where the command runs. */
  readonly folder: string;
  readonly roots: readonly string[];
  readonly budget: Budget;
  isProtected(path: string): boolean;
}

/** What a tree contains that policy has a rule about. */
export interface TreeFinds {
  /** Files that rules protect, or that have the names of secrets. */
  readonly files: readonly string[];
  /** Where links lead out of the roots. */
  readonly outside: readonly string[];
}

const MOST_FILES = 24;

/** Of packages that others publish, and of what tests of those bring: no secrets of anybody here. */
const PUBLISHED = /\/(?:node_modules|site-packages)\//;

export function isGuarded(path: string, { isProtected }: Pick<TreeLook, "isProtected">): boolean {
  return isProtected(path) || (isSecretFile(path) && !PUBLISHED.test(path));
}

/** @throws TooMany if there are more entries than are examined. */
export function findsBeneath(top: string, read: TreeRead, look: TreeLook): TreeFinds {
  const files: string[] = [];
  const outside: string[] = [];
  const seen = new Set<string>();
  const open: Opened[] = [{ path: top, ignored: [] }];
  for (const { path: folder, ignored: above } of open) {
    if (files.length >= MOST_FILES) break;
    const ignored = read.skipsIgnored
      ? [...above.filter(({ isHere }) => !isHere), ...ignoredHere(folder, look)]
      : [];
    for (const entry of entriesOf(folder, look.budget)) {
      const path = join(folder, entry.name);
      if (read.skipsHidden && entry.name.startsWith(".")) continue;
      const led = entry.isSymbolicLink() ? ledTo(path, read) : path;
      if (led === undefined) continue;
      const isFolder = led === path ? entry.isDirectory() : kindAt(led) === "folder";
      if (ignored.some((one) => one.fits(entry.name) && (isFolder || !one.isFolder))) continue;
      if (!look.roots.some((root) => isWithin(led, root))) outside.push(led);
      else if (isFolder) {
        // What git keeps for itself is looked at as one: there are many files, and few names.
        const isGit = entry.name === ".git";
        if (isGit && look.isProtected(join(led, "config"))) files.push(join(led, "config"));
        const isOpen = !isGit && read.entersFolder(entry.name) && !seen.has(led);
        if (isOpen) open.push({ path: led, ignored });
        seen.add(led);
      } else if (read.readsFile(entry.name) && !read.without.has(relative(look.folder, path))) {
        if (isGuarded(led, look)) files.push(led);
        else if (led !== path && isGuarded(path, look)) files.push(path);
      }
    }
  }
  return { files, outside };
}

interface Opened {
  readonly path: string;
  readonly ignored: readonly IgnoredName[];
}

function ignoredHere(folder: string, { roots }: TreeLook): readonly IgnoredName[] {
  // Without a repository no program uses git's ignore files.
  return roots.some((root) => isWithin(folder, root) && kindAt(join(root, ".git")) !== undefined)
    ? ignoredIn(folder)
    : [];
}

/** The target of a link that is followed; one that leads nowhere is read by nothing. */
function ledTo(path: string, { followsLinks }: TreeRead): string | undefined {
  if (!followsLinks) return undefined;
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
