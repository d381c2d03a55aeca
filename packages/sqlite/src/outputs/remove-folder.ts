import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, rmdir, unlink } from "node:fs/promises";

const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_RDONLY } = constants;

/**
 * Removes a folder of ours with the files in it. A link is removed as a link, never followed. What holds
 * folders of its own is not ours and stays. Says whether it is gone.
 */
export async function removeFolder(path: string): Promise<boolean> {
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => undefined);
  if (folder === undefined) return isMissing(path);
  try {
    const place = await placeOf(folder, path);
    for (const entry of await readdir(place, { withFileTypes: true }))
      if (!entry.isDirectory()) await unlink(`${place}/${entry.name}`);
  } finally {
    await folder.close();
  }
  return rmdir(path).then(
    () => true,
    () => false,
  );
}

/** By way of the open folder where the system allows it: whatever is put in its place is not touched. */
async function placeOf(folder: FileHandle, path: string): Promise<string> {
  const [own, opened] = [`/proc/self/fd/${folder.fd}`, await folder.stat()];
  const through = await lstat(`${own}/.`).catch(() => undefined);
  return through?.ino === opened.ino && through.dev === opened.dev ? own : path;
}

function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}
