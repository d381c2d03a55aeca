import type { Effect } from "../contract/call/effect.ts";
import { isWithin } from "../contract/values/path-within.ts";

/** What a call must have for itself among all sessions, because its tool or the policy wants that for some effects. */
export function sharedNames(
  effects: readonly Effect[],
  locked: readonly string[],
  roots: readonly string[],
): readonly string[] {
  const names = effects
    .filter(({ capability }) => locked.some((wanted) => covers(wanted, capability)))
    .map((effect) => nameOf(effect, roots));
  return [...new Set(names)].toSorted();
}

/** `payments.*` covers all capabilities of that kind. */
function covers(wanted: string, capability: string): boolean {
  return wanted.endsWith(".*") ? capability.startsWith(wanted.slice(0, -1)) : capability === wanted;
}

/** Files are locked with the workspace they are in: what a change in it breaks is not known from its path. */
function nameOf({ capability, target }: Effect, roots: readonly string[]): string {
  if (!capability.startsWith("fs.")) return `${capability} ${target}`;
  const root = roots.find((folder) => isWithin(target, folder));
  return root === undefined ? `file ${target}` : `workspace ${root}`;
}
