import { looksLike } from "../connection/elicitation/lookalikes.ts";

/**
 * The plain name that users and models would read this one as: `reаd` with a Cyrillic letter reads as `read`.
 * `undefined` for a name that is plain itself, or that does not look like a plain one.
 */
export function imitatedName(name: string): string | undefined {
  if (isPlain(name)) return undefined;
  const seen = looksLike(name);
  return isPlain(seen) ? seen : undefined;
}

function isPlain(name: string): boolean {
  return /^[ -~]*$/.test(name);
}
