import { realpathSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { TEMPORARY_NAMES } from "../../environment/temporary-folders.ts";

/** Mounted by the system itself, or never. */
const RESERVED = ["/proc", "/sys", "/dev"];

/** @throws ToolFailure `unavailable` for a profile that cannot be built exactly. */
export function checkProfile({ read, write, guarded, hidden, cwd, temporary }: SandboxProfile): void {
  for (const path of [...read, ...write, ...guarded, ...hidden]) {
    if (!/^\/[^/]/.test(path) || RESERVED.some((reserved) => isWithin(path, reserved)))
      throw new ToolFailure("unavailable", `The sandbox cannot open ${path} to a command.`);
    if (canonical(path) !== path)
      throw new ToolFailure("unavailable", `${path} leads through a link, which a sandbox does not follow.`);
  }
  const open = [...read, ...write, ...(temporary === undefined ? [] : TEMPORARY_NAMES)];
  if (!open.some((path) => isWithin(cwd, path)))
    throw new ToolFailure("unavailable", `The command would run in ${cwd}, which it may not even read.`, {
      hint: "Run it in a folder that the tool may read.",
    });
}

/** What is not there yet is where its folder is. */
function canonical(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const end = path.lastIndexOf("/");
    const folder = canonical(path.slice(0, end) || "/");
    return `${folder === "/" ? "" : folder}${path.slice(end)}`;
  }
}
