import { type Effect, isReading } from "../contract/call/effect.ts";
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
