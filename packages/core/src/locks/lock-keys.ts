import { type Effect, isReading } from "../contract/call/effect.ts";
import { isWithin } from "../contract/values/path-within.ts";
import type { LockKey } from "./effect-locks.ts";

const NONE: readonly LockKey[] = [];

/** What needs no lock of its own: what a command does to files is said by its file effects. */
const UNLOCKED = new Set(["net.fetch", "env.read", "shell.run", "mcp.call", "unknown"]);

const WILD = /[*?{[]/;

/** The locks that effects call for. Files are locked by path, other resources by name. */
export function lockKeys(effects: readonly Effect[]): readonly LockKey[] {
  const locked = effects.every(needsLock) ? effects : effects.filter(needsLock);
  return locked.length === 0 ? NONE : locked.map(keyOf);
}

function needsLock({ capability }: Effect): boolean {
  return !UNLOCKED.has(capability);
}

function keyOf({ capability, target }: Effect): LockKey {
  return capability.startsWith("fs.") ? fileKey(capability, target) : resourceKey(capability, target);
}

/** A pattern locks the folder it starts from, with all beneath it; so does a call that changes a path, which may be a folder. */
function fileKey(capability: string, target: string): LockKey {
  const access = accessOf(capability);
  if (!WILD.test(target)) return { access, resource: target, subtree: access === "exclude" };
  const folder = target.slice(0, target.lastIndexOf("/", target.search(WILD)));
  return { access, resource: folder === "" ? "/" : folder, subtree: true };
}

function resourceKey(capability: string, target: string): LockKey {
  return { access: accessOf(capability), resource: `${capability} ${target}`, subtree: false };
}

function accessOf(capability: string): LockKey["access"] {
  return isReading(capability) ? "share" : "exclude";
}

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
