import { globSync, lstatSync, statSync } from "node:fs";
import type { Effect } from "@toolkeep/core";
import { isSecretFile } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";

/**
 * The paths that a call resolved for one of the capabilities, so that they were decided on: those that it names, and
 * what its patterns match now. Of a pattern neither links nor names of secrets are meant.
 */
export function namedPaths(
  grant: Grant,
  capabilities: readonly string[],
  isShown: (effect: Effect) => boolean = () => false,
): readonly string[] {
  const named = grant.effects
    .filter(({ capability }) => capabilities.includes(capability))
    .filter((effect) => !isShown(effect) && isGranted(grant, effect))
    .flatMap(({ target }) => (isAbsolute(target) && !WILD.test(target) ? [target] : matchedBy(target)));
  return [...new Set(named)];
}

function isAbsolute(target: string): boolean {
  return /^\/[^/]/.test(target) && !/\/\.{0,2}(?:\/|$)/.test(target);
}

const WILD = /[*?{]/;
const MOST_MATCHES = 200;

/** Only in folders that the pattern names: what is beneath a folder is not looked through. */
function matchedBy(pattern: string): readonly string[] {
  const isUsable =
    isAbsolute(pattern) && /^[^*?{]+\/[^/]*[*?][^/]*$/.test(pattern) && !/[{}[\]!]|\*\*/.test(pattern);
  if (!isUsable) return [];
  try {
    const found = globSync(pattern).slice(0, MOST_MATCHES);
    return found.filter((path) => !isSecretFile(path) && !lstatSync(path).isSymbolicLink());
  } catch {
    return [];
  }
}

/** The effects were checked against the requirements before; here they are checked again. */
export function isGranted(grant: Grant, effect: Effect): boolean {
  try {
    grant.check(effect);
    return true;
  } catch {
    return false;
  }
}

/** A socket is not opened to a command that says it reads it: whatever listens there would do what the command wants. */
export function isFileOrFolder(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true || stats?.isDirectory() === true;
}

/** What was allowed, and a sandbox cannot open because there is nothing to open. */
export function missingNote(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  return `The sandbox cannot open what does not exist yet: ${paths.slice(0, 3).join(", ")}. Make it with the tool \`write\` first.`;
}
