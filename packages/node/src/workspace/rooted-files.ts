import type { Files } from "@toolkeep/core/ports";

/** The same files, where a relative path begins in a folder. */
export function rootedFiles(files: Files, root: string): Files {
  // Not joined by its words: `..` after a link leads elsewhere, and the files follow links themselves.
  const absolute = (path: string) => (path.startsWith("/") || path === "" ? path : `${root}/${path}`);
  return Object.freeze<Files>({
    read: (path, range) => files.read(absolute(path), range),
    write: (path, content, options) => files.write(absolute(path), content, options),
    remove: (path) => files.remove(absolute(path)),
    list: (query) => files.list({ ...query, root: absolute(query.root) }),
    search: (query) => files.search({ ...query, root: absolute(query.root) }),
  });
}
