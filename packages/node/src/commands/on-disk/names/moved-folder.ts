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

/** Where each command of a line runs, if the line begins in this folder. One that does not exist changes nothing. */
export async function foldersOf(
  commands: readonly SimpleCommand[],
  start: string,
): Promise<readonly string[]> {
  const folders: string[] = [];
  let at = start;
  for (const { argv, folder } of commands) {
    const here = folder === undefined ? at : await enteredFrom(start, folder, folders.at(-1) ?? start);
    folders.push(here);
    const [name, to, ...more] = argv;
    const isMove = folder === undefined && name === "cd" && to !== undefined && more.length === 0;
    if (isMove) at = await enteredFrom(at, to, at);
  }
  return folders;
}

async function enteredFrom(folder: string, to: string, otherwise: string): Promise<string> {
  if (to === "") return folder;
  const led = await ledTo(to.startsWith("/") ? to : `${folder}/${to}`);
  return led !== undefined && kindAt(led) === "folder" ? led : otherwise;
}
