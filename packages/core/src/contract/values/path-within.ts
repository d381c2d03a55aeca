/** Whether a path is a folder or is below it. Both are absolute, resolved and without a trailing slash. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || isBeneath(path, folder);
}

/** Whether a path is below a folder, and not the folder itself. */
export function isBeneath(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
