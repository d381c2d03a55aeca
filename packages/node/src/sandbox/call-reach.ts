import type { Effect } from "@toolkeep/core";
import { onlyReads, splitCommand } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";

const WILD = /[*?{]/;
const READING: ReadonlySet<string> = new Set(["fs.read", "env.read"]);

/** Whether every command of a call is known to only read, and the call does nothing else. */
export function callOnlyReads(effects: readonly Effect[]): boolean {
  const commands = effects.filter(({ capability }) => capability === "shell.run");
  return (
    commands.length > 0 &&
    effects.every(({ capability }) => capability === "shell.run" || READING.has(capability)) &&
    commands.every(({ target }) => onlyReads(splitCommand(target)))
  );
}

/** The very paths that the call foresaw for one of the capabilities, so that they were decided on. */
export function resolvedPaths(grant: Grant, capabilities: readonly string[]): readonly string[] {
  return [
    ...new Set(
      grant.effects
        .filter(({ capability, target }) => capabilities.includes(capability) && isPath(target))
        .filter((effect) => isGranted(grant, effect))
        .map(({ target }) => target),
    ),
  ];
}

function isPath(target: string): boolean {
  return /^\/[^/]/.test(target) && !WILD.test(target) && !/\/\.{0,2}(?:\/|$)/.test(target);
}

/** Effects by which a call says that its commands talk to hosts. */
const NETWORK: ReadonlySet<string> = new Set(["net.fetch", "shell.network"]);

/** The hosts that the call foresaw; none, where it says nothing of the network. */
export function resolvedHosts(grant: Grant): readonly string[] | "any" {
  const hosts = grant.effects
    .filter((effect) => NETWORK.has(effect.capability) && isGranted(grant, effect))
    .map(({ target }) => target);
  return hosts.some((host) => /^\*+$/.test(host)) ? "any" : [...new Set(hosts)];
}

/** The call was held against its requirements before; here it is held against them again. */
function isGranted(grant: Grant, effect: Effect): boolean {
  try {
    grant.check(effect);
    return true;
  } catch {
    return false;
  }
}
