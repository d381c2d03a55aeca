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

/** Where the next command runs. A folder that does not exist changes nothing. */
export async function folderAfter(
  { argv: [name, to, ...more] }: SimpleCommand,
  folder: string,
): Promise<string> {
  if (name !== "cd" || to === undefined || more.length > 0) return folder;
  const led = await ledTo(to.startsWith("/") ? to : `${folder}/${to}`);
  return led !== undefined && kindAt(led) === "folder" ? led : folder;
}
