import type { DeniedAccess } from "../contract/path-denies.ts";
import { expandBraces } from "./patterns/expand-braces.ts";
import { classOfName } from "./watchdogs/name-class.ts";

/** No file is called this. */
const ANY = "\u{10fffd}";

/**
 * Whether everything that a deny's pattern means is hidden or guarded in a sandbox by its name already: secrets,
 * and, as to changes, auto-executed configuration. Only patterns for any folder: where a path begins says nothing.
 */
export function heldByName(pattern: string | undefined, access: keyof DeniedAccess): boolean {
  if (pattern?.startsWith("**/") !== true) return false;
  const paths = expandBraces(pattern);
  return paths?.every((path) => isHeld(path, access)) === true;
}

function isHeld(path: string, access: keyof DeniedAccess): boolean {
  const sample = path.replaceAll(/\*+|\?/g, ANY).replace(/^[^/]*/, `/${ANY}`);
  const { isSecret, isConfiguration } = classOfName(sample);
  return isSecret || (isConfiguration && access !== "read");
}
