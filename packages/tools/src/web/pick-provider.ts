import type { SearchProvider } from "./search-provider.ts";

/** The provider of a session, always the same for its id, so that searches of a session fail consistently. */
export function pickProvider(
  providers: readonly SearchProvider[],
  sessionId: string,
): SearchProvider | undefined {
  return providers[hashOf(sessionId) % providers.length];
}

/** FNV-1a, in 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  // The low bits alone would follow the last character.
  return (hash ^ (hash >>> 15)) >>> 0;
}
