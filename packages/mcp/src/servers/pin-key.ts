import { createHash } from "node:crypto";

const LONGEST_NAME = 64;
const HASHED = "sha256:";

/** How long a key is at most. */
export const LONGEST_PIN_KEY: number = HASHED.length + 64;

/**
 * What a tool is remembered under: its name, or a hash of it where that is long. A server chooses the names of its
 * tools, and must not fill what is kept with them.
 */
export function pinKey(tool: string): string {
  return tool.length <= LONGEST_NAME ? tool : `${HASHED}${createHash("sha256").update(tool).digest("hex")}`;
}
