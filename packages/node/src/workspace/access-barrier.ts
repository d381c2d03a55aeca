import { type Effect, type RequirementSet, ToolFailure } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";

/**
 * A second check of every access to files and the network in this process: its folder or host must be one that the
 * effects of the call name, and that each ceiling names. Like the mounts of a sandbox it is coarse, reads the grant
 * alone, and shares no code with `check`: what that lets through by mistake stops here.
 */
export function behindBarrier(grant: Grant): Grant {
  return {
    ...grant,
    check(access) {
      grant.check(access);
      if (isHeld(access) && !isNamed(access, grant))
        grant.refuse(access, "is outside what this call was granted");
    },
  };
}

/** What a contained call does besides its commands is in no layer: it may only read. */
export function withoutCommands(grant: Grant): Grant {
  if (grant.contained !== true) return grant;
  return {
    ...grant,
    check(access) {
      if (!READING.has(access.capability))
        throw new ToolFailure(
          "unavailable",
          "A contained call changes and reaches things by commands alone.",
        );
      grant.check(access);
    },
  };
}

const READING: ReadonlySet<string> = new Set(["fs.read", "env.read"]);

function isHeld({ capability }: Effect): boolean {
  return capability.startsWith("fs.") || capability === "net.fetch";
}

function isNamed(access: Effect, { effects, ceilings }: Grant): boolean {
  const own = effects.filter(({ capability }) => capability === access.capability);
  return [own.map(({ target }) => target), ...ceilings.map((set) => patternsFor(access, set))].every(
    (patterns) => patterns.some((pattern) => isNear(access, pattern)),
  );
}

function patternsFor({ capability }: Effect, { fs, net, capabilities }: RequirementSet): readonly string[] {
  if (capabilities?.includes(capability)) return ["**"];
  if (capability === "net.fetch") return net?.hosts ?? [];
  return (capability === "fs.read" ? fs?.read : fs?.write) ?? [];
}

/** The target itself; or in the folder where the pattern begins to be wild, or with the ends of a wild host. */
function isNear({ capability, target }: Effect, pattern: string): boolean {
  if (capability === "net.fetch") return isNearHost(target.toLowerCase(), pattern.toLowerCase());
  const wild = pattern.search(WILD);
  if (target === pattern || wild === -1) return target === pattern;
  return isWithin(target, pattern.slice(0, Math.max(0, pattern.lastIndexOf("/", wild))) || "/");
}

function isNearHost(host: string, pattern: string): boolean {
  const [beginning = ""] = pattern.split(WILD, 1);
  const end = /[^*?{}]*$/.exec(pattern)?.[0] ?? "";
  return host === pattern || (WILD.test(pattern) && host.startsWith(beginning) && host.endsWith(end));
}

const WILD = /[*?{]/;
