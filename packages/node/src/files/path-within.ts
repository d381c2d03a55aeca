/** Whether a path is a folder or is beneath it. Both are absolute, without `..` and free of links. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || isBeneath(path, folder);
}

/** Whether a path is beneath a folder and is not the folder itself. */
export function isBeneath(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
