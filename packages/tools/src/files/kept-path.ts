/**
 * Whether a path looks like those that sessions hand out for outputs that were too large to show. Such a path is
 * read from what the session kept and from nowhere else, so a call with one needs no leave to read files; a file
 * that happens to be called so cannot be read.
 */
export function isKeptPath(path: string): boolean {
  return KEPT.test(path);
}

/** Of a folder of outputs, and of outputs in memory. */
const KEPT = /^\/.*\/[0-9a-f]{32}\.out$|^memory:/;
