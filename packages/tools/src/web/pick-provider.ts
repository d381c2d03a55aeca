import type { SearchProvider } from "./search-provider.ts";

/** The provider of a session: always the same for its id, so that searches fail for one reason and not for many. */
export function pickProvider(
  providers: readonly [SearchProvider, ...SearchProvider[]],
  sessionId: string,
): SearchProvider {
  return providers[hashOf(sessionId) % providers.length] ?? providers[0];
}

/**
 * What comes before the first slash of an idempotency key is the id of the session, or as much of it as has no
 * slash: either way the same for all of its calls.
 */
export function sessionOf(idempotencyKey: string): string {
  return idempotencyKey.split("/", 1)[0] ?? "";
}

/** FNV-1a, in 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  // The low bits alone would follow the last character.
  return (hash ^ (hash >>> 15)) >>> 0;
}
