import { realpathSync } from "node:fs";
import { isWithin } from "@toolkeep/core/internal";
import type { Watchdog, WatchdogVerdict } from "@toolkeep/core/policy";
import { type Directories, directories } from "@toolkeep/node/internal";

const ALLOW: WatchdogVerdict = { action: "allow" };
const HOME_VARIABLE = /\$\{?TOOLKEEP_HOME/;

/**
 * Asks about every call that changes the configuration or the state of Toolkeep, wherever these directories are: the
 * built-in rules know only their default paths. Reading the state asks too, because it contains tokens.
 */
export function ownFilesWatchdog({ config, state, data, run }: Directories = directories()): Watchdog {
  const all = [config, state, data, run].flatMap((folder) => [folder, realPathOf(folder)]);
  const secret = [state, run].flatMap((folder) => [folder, realPathOf(folder)]);
  return {
    name: "own-files",
    evaluate({ effects }) {
      for (const { capability, target } of effects) {
        const isOwn = capability.startsWith("shell.")
          ? all.some((folder) => target.includes(folder)) || HOME_VARIABLE.test(target)
          : capability.startsWith("fs.") && mayReach(target, capability === "fs.read" ? secret : all);
        if (isOwn)
          return { action: "ask", reason: "The call reaches the configuration or the state of Toolkeep." };
      }
      return ALLOW;
    },
  };
}

/** Whether a path is in one of the folders, or a pattern may match in one. */
function mayReach(target: string, folders: readonly string[]): boolean {
  const wild = target.search(/[*?{[]/);
  const base = wild === -1 ? target : target.slice(0, target.lastIndexOf("/", wild));
  return folders.some((folder) => isWithin(base, folder) || (wild !== -1 && isWithin(folder, base)));
}

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
