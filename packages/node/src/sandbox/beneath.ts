/** Whether a path is a folder or lies beneath it. Both are absolute, without `..` and free of links. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || isBeneath(path, folder);
}

export function isBeneath(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** The deepest of the folders that holds the path, or is it. */
export function deepestAround(path: string, folders: readonly string[]): string | undefined {
  return folders
    .filter((folder) => isWithin(path, folder))
    .reduce<string | undefined>(
      (deepest, folder) => ((deepest?.length ?? -1) < folder.length ? folder : deepest),
      undefined,
    );
}
