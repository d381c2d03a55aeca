import { chmod, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the name of a socket may have at most, with the folders that are made in this one. */
const LONGEST = 70;

/**
 * A new folder for the proxies of commands. Every user may pass through it, so that a command of another user reaches
 * the folder of its own proxy, and only this one may list it.
 */
export async function proxyFolder(): Promise<string> {
  const temporary = await realpath(tmpdir());
  // As root, commands run as a user who may not pass through root's own folders.
  const isUsable = temporary.length < LONGEST && process.getuid?.() !== 0;
  const folder = await mkdtemp(join(isUsable ? temporary : "/tmp", "toolkeep-net-"));
  await chmod(folder, 0o711);
  return folder;
}
