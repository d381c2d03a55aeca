import { createHash } from "node:crypto";

const LONGEST_NAME = 64;
const HASHED = "sha256:";

/** The greatest length of a key. */
export const LONGEST_PIN_KEY: number = HASHED.length + 64;

/** The key of a tool: its name, or a hash of a long one, so that a server cannot use up the storage with names. */
export function pinKey(tool: string): string {
  return tool.length <= LONGEST_NAME ? tool : `${HASHED}${createHash("sha256").update(tool).digest("hex")}`;
}
