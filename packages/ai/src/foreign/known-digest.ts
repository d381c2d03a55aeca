import { webDigest } from "@toolkeep/core/internal";

const MOST_KNOWN = 1_000;
const LONGEST = 4_096;
const known = new Map<string, string>();

/** The SHA-256 of a text. Web Crypto works in another thread, so that of a short text is computed once. */
export function knownDigest(text: string): string | Promise<string> {
  return known.get(text) ?? digestOf(text);
}

async function digestOf(text: string): Promise<string> {
  const digest = await webDigest(new TextEncoder().encode(text));
  if (text.length > LONGEST) return digest;
  const [oldest] = known.size >= MOST_KNOWN ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
  known.set(text, digest);
  return digest;
}
