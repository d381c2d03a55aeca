import { resolve } from "node:path";
import type { Effect } from "@toolkeep/core";
import { isBeneath, isWithin } from "@toolkeep/core/internal";
import type { LineOnDisk, ProtectedPaths } from "@toolkeep/core/ports";
import { scan } from "../scan/scan.ts";
import { MOST_FOLDERS } from "../scan/walk-folders.ts";

const PLAIN = /^[\w.@+/-]+$/;

/** The protected things in folders that a line removes: each is named to the person who decides, and open after a yes. */
export async function removedProtected(
  { commands, folder = "/" }: LineOnDisk,
  { roots }: Pick<ProtectedPaths, "roots">,
): Promise<readonly Effect[]> {
  const isInside = (path: string) => roots.some((root) => isBeneath(path, root));
  const removed = removedFolders(
    commands.map(({ argv }) => argv),
    folder,
  ).filter(isInside);
  if (removed.length === 0) return [];
  const finds = await scan(roots, { mostFolders: MOST_FOLDERS }).catch(() => []);
  return finds
    .filter(({ path, kind, type }) => kind === "protected" && type !== "link" && isNamedBy(path, removed))
    .filter(({ path }) => !REPOSITORY.test(path))
    .slice(0, MOST_NAMED)
    .map(({ path }) => ({ capability: "fs.delete", target: path, known: "inferred", note: NOTE }));
}

const NOTE = "it is removed with the folder that it is in";
const MOST_NAMED = 50;
/** A repository is never taken apart by a yes to a folder around it. */
const REPOSITORY = /\/\.git(?:\/|$)/i;

function isNamedBy(path: string, removed: readonly string[]): boolean {
  return removed.some((one) => isWithin(path, one));
}

function removedFolders(commands: readonly (readonly string[])[], start: string): readonly string[] {
  let folder = start;
  const found: string[] = [];
  for (const [name = "", ...args] of commands) {
    if (name === "cd" && args.length === 1) folder = resolve(folder, args[0] ?? "");
    const isRecursive = args.some((arg) => /^(?:-[a-zA-Z]*[rR][a-zA-Z]*|--recursive)$/.test(arg));
    if (/(?:^|\/)rm$/.test(name) && isRecursive)
      found.push(
        ...args.filter((arg) => PLAIN.test(arg) && !arg.startsWith("-")).map((arg) => resolve(folder, arg)),
      );
  }
  return found;
}
