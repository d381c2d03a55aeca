import { createHash } from "node:crypto";
import type { ServerEntry } from "./server-entry.ts";

/**
 * Identifies how a server is started or reached, as it is written: the values of variables in it may change.
 * Another command, argument, value, directory, address or header is another fingerprint; another name is not.
 */
export function serverFingerprint(entry: ServerEntry): string {
  const identity =
    entry.kind === "stdio"
      ? ["stdio", entry.command, entry.args, sorted(entry.env), entry.cwd ?? null]
      : ["http", entry.url, sorted(entry.headers)];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}

function sorted(values: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
