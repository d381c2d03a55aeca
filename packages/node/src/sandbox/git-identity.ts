import type { SandboxProfile } from "@toolkeep/core/ports";
import { userIdentity } from "../git/user-identity.ts";
import { homeInMemory } from "./bubblewrap-args.ts";
import type { ShellStep } from "./mount-check.ts";

/** The home folder is in memory and belongs to this command alone. */
const WRITE = `[ -e "$HOME/.gitconfig" ] || printf %s "$1" > "$HOME/.gitconfig"
shift
`;

/**
 * What a shell in the sandbox does so that commits there have the author that they have outside: a home in memory gets a
 * configuration with the user's name and address. Read once for each home.
 */
export function identityStep(
  git: string | undefined,
): (profile: SandboxProfile) => Promise<ShellStep | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  return async (profile) => {
    const [home] = homeInMemory(profile);
    if (git === undefined || home === undefined) return undefined;
    const reading = known.get(home) ?? userIdentity(git, home);
    known.set(home, reading);
    const identity = await reading;
    return identity === undefined ? undefined : { script: WRITE, args: [identity] };
  };
}
