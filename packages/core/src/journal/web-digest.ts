import type { Digest } from "../contract/values/digest.ts";

/** More than this is hashed in another thread. */
const MOST_HERE = 64 * 1024;

interface NodeCrypto {
  readonly hash?: (algorithm: string, bytes: Uint8Array) => string;
}

/** Where there is one: Web Crypto hashes in another thread, and to wait for that takes longer than a short hash. */
const here = (
  globalThis as { readonly process?: { getBuiltinModule?(name: string): NodeCrypto | undefined } }
).process?.getBuiltinModule?.("node:crypto")?.hash;

/** SHA-256 by the platform: of a short text by Node.js itself, otherwise by Web Crypto. */
export const webDigest: Digest = async (bytes) => {
  if (here !== undefined && bytes.length <= MOST_HERE) return here("sha256", bytes);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
};
