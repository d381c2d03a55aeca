import { type BigIntStats, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { classOfName, isBeneath, isProtectedName } from "@toolkeep/core/internal";
import { AUTO_EXECUTED_SECRET } from "./auto-executed-secret.ts";

/**
 * `repository`: the folder of a repository, or the file that points to it. `head`: what makes a folder without `.git` a
 * repository. `protected`: decides what is run. `secret`: must not be read. `auto-executed secret`: both. `order`: what
 * git keeps of unfinished work that would make it run, read or write something else. `unseen`: a folder that cannot be
 * read. `socket`: a Unix socket without any such name.
 */
export type FindKind =
  | "repository"
  | "head"
  | "protected"
  | "secret"
  | "auto-executed secret"
  | "order"
  | "unseen"
  | "socket";

/** Something beneath a folder that a command may not change, or may not see. */
export interface Find {
  readonly path: string;
  readonly kind: FindKind;
  readonly type: "file" | "folder" | "link" | "other";
  /** Differs for anything that replaces it. */
  readonly identity: string;
  /** Which file it is, if `identity` describes its content instead. */
  readonly inode?: string;
  /** A secret by its name that commands may read: the repository keeps the same bytes. `open`: and change. */
  readonly shown?: "open" | "read-only";
  /** A secret by its name that git tracks, and whose bytes are others than git has recorded. */
  readonly isModified?: true;
  /** A file without secrets that commands see in its place. */
  readonly copy?: string;
}

/** Whether it is hidden from commands because of its name. */
export function isSecretKind(kind: FindKind): boolean {
  return kind === "secret" || kind === "auto-executed secret";
}

/** What is at a path, without following a link; `undefined` if nothing is. */
export function findAt(path: string, kind: FindKind): Find | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : { path, kind, type: typeOf(stats), identity: identityOf(stats) };
}

export function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** A link is identified by its text and by its target, as far as commands can change that. */
export function linkIdentity(path: string, write: readonly string[], says?: string): string {
  try {
    const text = says ?? readlinkSync(path);
    return `link ${JSON.stringify(text)} ${endOf(path, write)}`;
  } catch {
    return "link that is gone";
  }
}

/** Where a path leads, and what is there if commands can write there. */
export function endOf(path: string, write: readonly string[]): string {
  try {
    const end = realpathSync.native(path);
    const isOurs = write.some((folder) => isBeneath(end, folder));
    return isOurs ? `${end} ${identityOf(lstatSync(end, { bigint: true }))}` : end;
  } catch {
    return "nowhere";
  }
}

function typeOf(stats: BigIntStats): Find["type"] {
  if (stats.isDirectory()) return "folder";
  if (stats.isFile()) return "file";
  return stats.isSymbolicLink() ? "link" : "other";
}

const REPOSITORY = /^\.git$/i;
const HEAD = /^head$/i;

/** What a name means in its folder, compared as the most lenient file system does; usually nothing. */
export function kindOfName(folder: string, name: string): FindKind | undefined {
  const here = basename(folder);
  const around = `${basename(dirname(folder))}/${here}`;
  const kind = kindOfPath(`${around}/${name}`, name);
  if (kind === undefined) return undefined;
  // Deeper in a protected folder, only names that are protected themselves are found.
  return kindOfPath(`${here}/${name}`, name) ?? (isProtectedName(around) ? undefined : kind);
}

function kindOfPath(path: string, name: string): FindKind | undefined {
  if (REPOSITORY.test(name)) return "repository";
  const { isSecret, isConfiguration, isSystem, isHead } = classOfName(path);
  if (isSecret) return isConfiguration || AUTO_EXECUTED_SECRET.test(path) ? "auto-executed secret" : "secret";
  // A file of this name makes a repository only together with others, which are searched separately.
  return !HEAD.test(name) && (isConfiguration || isSystem || isHead) ? "protected" : undefined;
}

/** Whether commands cannot change a file beneath a folder because of its name, also if git tracks it. */
export function isClosedName(folder: string, path: string): boolean {
  const isAutoExecuted = kindOfName(dirname(path), basename(path)) === "auto-executed secret";
  return isAutoExecuted || isProtectedName(path.slice(folder.length));
}

/** The name of the file that makes a folder with these names into a repository without a `.git`. */
export function headAmong(names: readonly string[]): string | undefined {
  const head = names.find((name) => HEAD.test(name));
  if (head === undefined) return undefined;
  const folded = new Set(names.map((name) => name.toLowerCase()));
  // Git finds the rest at the path in `commondir`.
  return (folded.has("objects") && folded.has("refs")) || folded.has("commondir") ? head : undefined;
}
