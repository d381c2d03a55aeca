/**
 * Whether a path has the form of the paths that sessions give to outputs that were too large to show. Such a path is
 * read from the outputs of the session only, so the call needs no permission to read files; a real file with such a
 * name cannot be read.
 */
export function isKeptPath(path: string): boolean {
  return KEPT.test(path);
}

/** In an output folder, found by its content, or in memory. */
const KEPT = /^\/.*\/[0-9a-f]{32}\.out$|^sha256:[0-9a-f]{64}$|^memory:/;
