import { randomUUID } from "node:crypto";
import { constants, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR } = constants;
const kept = new Map<string, number>();

/**
 * Opens a filter for system calls, to be handed to the process that puts it in force. It stands in a file without a
 * name: unlike from a pipe, it can be read to its end without waiting for us.
 */
export function openFilter(filter: string): number {
  const file = kept.get(filter) ?? namelessFile(Buffer.from(filter, "base64"));
  kept.set(filter, file);
  // Opened anew, so that whoever reads it begins at the beginning.
  return openSync(`/proc/self/fd/${file}`, O_RDONLY);
}

function namelessFile(bytes: Buffer): number {
  const path = join(tmpdir(), `toolkeep-filter-${randomUUID()}`);
  const file = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  unlinkSync(path);
  writeSync(file, bytes);
  return file;
}
