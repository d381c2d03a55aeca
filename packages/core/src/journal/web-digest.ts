import type { Digest } from "../contract/values/digest.ts";

/** SHA-256 by the platform's own Web Crypto. */
export const webDigest: Digest = async (bytes) => {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
};
