import { join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { userIdentity } from "../../git/user-identity.ts";
import type { Mount } from "../mounts/mount-plan.ts";
import { homeInMemory } from "./bubblewrap-args.ts";

/** A configuration of git for the home of one command. */
export interface GitIdentity {
  readonly settingsPath: string;
  readonly settings: string;
}

/**
 * Makes commits in the sandbox have the author that they have outside: a home in memory, which belongs to the command
 * alone, gets a configuration with the user's name and address, unless the user's own is mounted there. Read once for
 * each home.
 */
export function gitIdentity(
  git: string | undefined,
): (profile: SandboxProfile, mounts: readonly Mount[]) => Promise<GitIdentity | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  return async (profile, mounts) => {
    const [home] = homeInMemory(profile);
    if (git === undefined || home === undefined) return undefined;
    const settingsPath = join(home, ".gitconfig");
    if (mounts.some(({ path }) => isWithin(path, settingsPath))) return undefined;
    const reading = known.get(home) ?? userIdentity(git, home);
    known.set(home, reading);
    const settings = await reading;
    return settings === undefined ? undefined : { settingsPath, settings };
  };
}
