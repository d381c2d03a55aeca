import { homedir } from "node:os";
import { isWithin } from "@toolkeep/core/internal";
import type { Watchdog } from "@toolkeep/core/policy";

/**
 * Asks about every change of a file if the workspace contains the home directory of the user: the rules allow changes
 * anywhere in a project, and there are programs and settings of everything else in this one.
 */
export function wideWorkspaceWatchdog(root: string, home: string = homedir()): readonly Watchdog[] {
  if (!isWithin(home, root)) return [];
  return [
    {
      name: "wide-workspace",
      evaluate: ({ effects }) =>
        effects.some(({ capability, implied }) => capability === "fs.write" && implied !== true)
          ? { action: "ask", reason: `The workspace ${root} contains your home directory.` }
          : { action: "allow" },
    },
  ];
}
