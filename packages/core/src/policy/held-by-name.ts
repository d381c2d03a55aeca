import type { DeniedAccess } from "../contract/path-denies.ts";
import { expandBraces } from "./patterns/expand-braces.ts";
import { classOfName } from "./watchdogs/name-class.ts";

/** No file is called this. */
const ANY = "\u{10fffd}";

/**
 * Whether everything that a deny's pattern means is hidden or guarded in a sandbox by its name already: secrets,
 * and, as to changes, auto-executed configuration. Only patterns for any folder, because where a path begins says
 * nothing; and only names without wildcards, because some of the names that `*.pem` means are no secrets.
 */
export function heldByName(pattern: string | undefined, access: keyof DeniedAccess): boolean {
  if (pattern?.startsWith("**/") !== true) return false;
  return expandBraces(pattern)?.every((path) => isHeld(path.replace(/(?:\/\*\*)+$/, ""), access)) === true;
}

function isHeld(path: string, access: keyof DeniedAccess): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/[*?]/.test(name)) return false;
  const { isSecret, isConfiguration } = classOfName(`/${path.replaceAll(/[*?]+/g, ANY)}`);
  return isSecret || (isConfiguration && access !== "read");
}
