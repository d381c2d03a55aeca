import { accessSync, constants } from "node:fs";
import { dirname, resolve } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import type { SimpleCommand } from "@toolkeep/core/ports";
import { canonicalPath } from "../../../files/canonical-path.ts";
import { kindAt, realOf } from "../../../files/entries.ts";

/**
 * As the system resolves them. What cannot be resolved, such as circular links, is read by nothing; what leads into the
 * system's own folders is named as it is, and refused where the effect is made canonical.
 */
export async function ledTo(path: string): Promise<string | undefined> {
  try {
    return await canonicalPath(path);
  } catch {
    const real = realOf(path);
    return real === path ? undefined : real;
  }
}

/**
 * Where each command of a line runs, if the line begins in this folder. A folder that is not there changes nothing, unless
 * the line makes it.
 */
export async function foldersOf(
  commands: readonly SimpleCommand[],
  start: string,
): Promise<readonly string[]> {
  const folders: string[] = [];
  const made: string[] = [];
  let at = start;
  for (const { argv, folder } of commands) {
    const entered = async (from: string, to: string, otherwise: string) => {
      if (to === "") return from;
      const led = await ledTo(absolute(to, from));
      const kind = led === undefined ? "other" : kindAt(led);
      const isMade = kind === undefined && made.some((one) => isWithin(one, led ?? start));
      return led !== undefined && (kind === "folder" || isMade) ? led : otherwise;
    };
    const here = folder === undefined ? at : await entered(start, folder, folders.at(-1) ?? start);
    folders.push(here);
    for (const path of newFolders(argv)) {
      const led = await ledTo(absolute(path, here));
      if (led !== undefined && canBeMade(led)) made.push(led);
    }
    const [name, to, ...more] = argv;
    const isMove = folder === undefined && name === "cd" && to !== undefined && more.length === 0;
    if (isMove) at = await entered(at, to, at);
  }
  return folders;
}

/** With other options a folder may be one that cannot be entered. */
function newFolders([name, ...words]: readonly string[]): readonly string[] {
  const paths = words.filter((word) => !/^-[pv]+$/.test(word));
  return name === "mkdir" && !paths.some((path) => path.startsWith("-")) ? paths : [];
}

function canBeMade(path: string): boolean {
  if (kindAt(path) === undefined) return path !== "/" && canBeMade(dirname(path));
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return kindAt(path) === "folder";
  } catch {
    return false;
  }
}

/** A path of a command, with its `..`: what is before them may be a link. In a folder that the line makes nothing is. */
export function absolute(path: string, folder: string): string {
  if (path.startsWith("/")) return path;
  return kindAt(folder) === undefined ? resolve(folder, path) : `${folder}/${path}`;
}
