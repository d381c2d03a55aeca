const LONGEST = 256;

/** The id of a child's session: the same for the same key, so that no second child is started for it. */
export async function childIdOf(parentId: string, key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const short = `${parentId}.${hex.slice(0, 16)}`;
  return short.length <= LONGEST ? short : `subagent-${hex}`;
}
