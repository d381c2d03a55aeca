import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import type { Effect } from "@toolkeep/core";
import { emptiedBy, isWithin } from "@toolkeep/core/internal";
import type { LineOnDisk, ProtectedPaths } from "@toolkeep/core/ports";
import { gitStates } from "../../../git/git-states.ts";
import { foldersOf, ledTo } from "../names/moved-folder.ts";

/**
 * What a line empties and git does not have: the content is nowhere else, so it is lost as by a deletion. Files outside
 * of the workspace are written, which rules decide about.
 */
export async function emptiedOnDisk(
  { line, commands, folder = "/" }: LineOnDisk,
  { roots }: Pick<ProtectedPaths, "roots">,
): Promise<readonly Effect[]> {
  const found = new Set<string>();
  const folders = await foldersOf(commands, folder);
  for (const [index, command] of commands.entries())
    for (const path of emptiedBy(command)) {
      const led = await ledTo(resolve(folders[index] ?? folder, path));
      if (led !== undefined && hasContent(led)) found.add(led);
    }
  const isInside = (path: string) => roots.some((root) => isWithin(path, root));
  const inside = APPENDS_ONLY.test(line) ? [] : [...found].filter(isInside);
  if (inside.length === 0) return [];
  const states = gitStates(inside, isInside);
  return inside.filter((path) => states.get(path) !== "recorded").map(emptied);
}

/** Every redirect of the line adds to its file. */
const APPENDS_ONLY = /^[^>]*(?:>>[^>]*)+$/;

function emptied(target: string): Effect {
  const note = `It empties ${JSON.stringify(target)}, and git has no copy of what is in it.`;
  return { capability: "fs.delete", target, known: "inferred", note };
}

function hasContent(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size > 0;
}
