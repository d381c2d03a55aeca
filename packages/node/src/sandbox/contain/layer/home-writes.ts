import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isProtectedName, isWithin, unlessThrown } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import type { OpenRun } from "../place/open-place.ts";
import type { Layer } from "./open-layer.ts";

/** What tools write to a home by the way, which is not missed. */
const BY_THE_WAY =
  /^\.(?:cache|npm|pnpm|yarn|bun|gradle|m2|cargo|rustup|dotnet|nuget|local\/(?:share|state)|config\/(?:go\/telemetry|configstore|[\w-]*nodejs|turborepo|matplotlib|pip|uv)|[\w-]*history|lesshst|viminfo|wget-hsts|ipython|jupyter|matplotlib|dbus|pki|gnupg|keras)(?:\/|$)/;
const MOST_NAMED = 20;

interface RanCommand {
  readonly layer: Pick<Layer, "home">;
  readonly profile: SandboxProfile;
  readonly run: Pick<OpenRun, "mounts">;
}

/** What a command wrote to its home, which is thrown away with it, as far as it may be relied on. */
export function homeWrites({ layer, profile, run }: RanCommand): readonly string[] {
  const home = profile.environment["HOME"] ?? "/";
  const mounted = [
    ...profile.write,
    ...profile.read,
    ...(profile.programs ?? []),
    ...run.mounts.map(({ path }) => path),
  ];
  const caches = profile.caches?.parts.map(({ path }) => path) ?? [];
  const made = [...mounted, ...caches, join(home, ".gitconfig"), join(home, ".config/git/config")];
  const found: string[] = [];
  const look = (folder: string) => {
    const entries = unlessThrown(() => readdirSync(join(layer.home, folder), { withFileTypes: true }));
    // The command closed it.
    if (entries === undefined) found.push(`~/${folder}`);
    for (const entry of entries ?? []) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const seen = join(home, path);
      if (found.length >= MOST_NAMED || BY_THE_WAY.test(path) || made.includes(seen)) continue;
      if (made.some((one) => isWithin(one, seen))) look(path);
      else if (entry.isDirectory() && !isProtectedName(`${seen}/x`)) look(path);
      else found.push(`~/${path}`);
    }
  };
  look("");
  return found;
}
