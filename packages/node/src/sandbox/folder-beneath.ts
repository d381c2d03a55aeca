import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { relative, sep } from "node:path";

const FOLDER_ITSELF = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Does something in a folder beneath a root. The way is gone from the root, which must be free of links, without
 * following any; what is used gets a path by which the folder stays the same whatever is swapped meanwhile.
 * @throws the error of the file system when there is no such way.
 */
export async function inFolderBeneath<Result>(
  root: string,
  folder: string,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  let handle = await open(root, FOLDER_ITSELF);
  try {
    for (const name of relative(root, folder).split(sep)) {
      if (name !== "") handle = await stepInto(handle, name);
    }
    return await use(pathOf(handle));
  } finally {
    await handle.close();
  }
}

async function stepInto(folder: FileHandle, name: string): Promise<FileHandle> {
  const next = await open(`${pathOf(folder)}/${name}`, FOLDER_ITSELF);
  await folder.close();
  return next;
}

function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}
