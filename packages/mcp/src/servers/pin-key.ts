import { createHash } from "node:crypto";

const LONGEST_NAME = 64;
const HASHED = "sha256:";

/** The greatest length of a key. */
export const LONGEST_PIN_KEY: number = HASHED.length + 64;

/**
 * The key that a tool is remembered by: its name, or a hash of a long name. A server chooses the names of its tools,
 * and must not use up the storage with them.
 */
export function pinKey(tool: string): string {
  return tool.length <= LONGEST_NAME ? tool : `${HASHED}${createHash("sha256").update(tool).digest("hex")}`;
}
