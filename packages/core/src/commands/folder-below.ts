/** Whether a path names a folder below: no way up, no other root, nothing that a shell would expand. */
export function isFolderBelow(path: string): boolean {
  return /^(?![/~-])(?!(?:.*\/)?\.\.(?:\/|$))[^*?[{]+$/.test(path);
}
