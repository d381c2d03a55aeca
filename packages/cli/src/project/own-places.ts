import { realpathSync } from "node:fs";
import type { Watchdog, WatchdogVerdict } from "@toolkeep/core/policy";
import { type Directories, directories } from "@toolkeep/node/internal";

const PASSES: WatchdogVerdict = { action: "allow" };
const HOME_VARIABLE = /\$\{?TOOLKEEP_HOME/;

/**
 * Minds whatever changes what this program is told and what it keeps, wherever that is: by their names alone only the
 * usual places are known. What it keeps is not read without asking either: there are tokens in it.
 */
export function ownPlaces({ config, state, data }: Directories = directories()): Watchdog {
  const all = [config, state, data].flatMap((folder) => [folder, realOf(folder)]);
  const kept = [state, realOf(state)];
  return {
    name: "own-places",
    evaluate({ effects }) {
      for (const { capability, target } of effects) {
        const isNamed = capability.startsWith("shell.")
          ? all.some((folder) => target.includes(folder)) || HOME_VARIABLE.test(target)
          : capability.startsWith("fs.") && mayReach(target, capability === "fs.read" ? kept : all);
        if (isNamed) return { action: "ask", reason: "It reaches what decides about everything else." };
      }
      return PASSES;
    },
  };
}

/** Whether a path lies in one of the folders, or a pattern may. */
function mayReach(target: string, folders: readonly string[]): boolean {
  const wild = target.search(/[*?{[]/);
  const base = wild === -1 ? target : target.slice(0, target.lastIndexOf("/", wild));
  return folders.some((folder) => isWithin(base, folder) || (wild !== -1 && isWithin(folder, base)));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
