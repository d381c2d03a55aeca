import { type BigIntStats, lstatSync } from "node:fs";

/**
 * `repository`: the folder of a repository, or the file that leads to it. `head`: what makes a folder into
 * a repository without one. `protected`: decides what is run. `secret`: not to be seen. `obeyed secret`: both.
 */
export type FindKind = "repository" | "head" | "protected" | "secret" | "obeyed secret";

/** Something beneath a folder that a command may not change, or may not see. */
export interface Find {
  readonly path: string;
  readonly kind: FindKind;
  readonly type: "file" | "folder" | "link" | "other";
  /** Another one for whatever is put in its place. */
  readonly identity: string;
}

/** What stands at a path, without following a link; `undefined` when nothing does. */
export function findAt(path: string, kind: FindKind): Find | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : { path, kind, type: typeOf(stats), identity: identityOf(stats) };
}

export function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function typeOf(stats: BigIntStats): Find["type"] {
  if (stats.isDirectory()) return "folder";
  if (stats.isFile()) return "file";
  return stats.isSymbolicLink() ? "link" : "other";
}
