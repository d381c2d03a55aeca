import { constants, readlinkSync, symlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { type PinnedFolder, pinFolder } from "../../files/pinned-folder.ts";
import { readSmallFile, type SmallFile } from "../../files/read-small-file.ts";
import { endOf, type Find, identityOf, linkIdentity } from "../scan/find.ts";

/** A link or a small file as it was before a command ran. */
export interface KeptThing {
  readonly path: string;
  readonly type: "link" | "file";
  /** Whether another file with the same bytes, mode and owner is at its path now. */
  isThereAgain(): boolean;
  /** Puts it back if nothing is at its path now, following no link; returns whether it did. */
  putBack(): Promise<boolean>;
}

const MOST_BYTES = 2 ** 18;

/** Never those that lend the rights of the owner to another user. */
const PLAIN_BITS = 0o777n;

/**
 * What can be put back of what was found. A link cannot be mounted at all. A file can; but a process outside that
 * replaces it removes the mount inside with it. Each is read in its folder, which is opened name by name and held, and
 * kept only if it is still what was found.
 */
export function keptThings(finds: readonly Find[], write: readonly string[]): readonly KeptThing[] {
  const wanted = finds.filter(({ kind, type }) => type === "link" || (type === "file" && KEPT.has(kind)));
  const unique = new Map(wanted.map((find) => [find.path, find]));
  return [...unique.values()].flatMap((find) => {
    try {
      using folder = pinFolder(dirname(find.path));
      const kept = find.type === "link" ? keptLink(find, folder, write) : keptFile(find, folder);
      return kept ?? [];
    } catch {
      // It is gone, or not readable.
      return [];
    }
  });
}

const KEPT: ReadonlySet<Find["kind"]> = new Set(["repository", "protected", "auto-executed secret", "order"]);

/** A link that would lead elsewhere now is not the one it was. */
function keptLink(
  { path, identity }: Find,
  folder: PinnedFolder,
  write: readonly string[],
): KeptThing | undefined {
  const target = readlinkSync(folder.at(basename(path)));
  if (linkIdentity(path, write, target) !== identity) return undefined;
  const end = endOf(path, write);
  return {
    path,
    type: "link",
    isThereAgain: () => false,
    putBack: () =>
      putIn(path, (heldPath) => {
        if (endOf(resolve(dirname(path), target), write) !== end) throw new Error("it leads elsewhere");
        symlinkSync(target, heldPath);
      }),
  };
}

function keptFile({ path, identity, inode = identity }: Find, folder: PinnedFolder): KeptThing | undefined {
  const file = readSmallFile(folder.at(basename(path)), {
    mostBytes: MOST_BYTES,
    followsLinks: false,
    isMeant: (stats) => identityOf(stats) === inode,
  });
  if (file === undefined) return undefined;
  return {
    path,
    type: "file",
    isThereAgain: () => isSame(path, file),
    putBack: () => putIn(path, (heldPath) => makeFile(heldPath, file)),
  };
}

/** A file with one name only: a file with another name could be changed through it. */
function isSame(path: string, { bytes, stats }: SmallFile): boolean {
  try {
    using folder = pinFolder(dirname(path));
    const now = readSmallFile(folder.at(basename(path)), {
      mostBytes: bytes.byteLength,
      followsLinks: false,
      isMeant: ({ nlink, mode, uid }) => nlink === 1n && mode === stats.mode && uid === stats.uid,
    });
    return now?.bytes.equals(bytes) === true;
  } catch {
    return false;
  }
}

/** By its handle from beginning to end: something else may be at its name by the time it gets its mode. */
async function makeFile(heldPath: string, { bytes, stats }: SmallFile): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  await using file = await open(heldPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  await file.writeFile(bytes);
  if (process.getuid?.() === 0) await file.chown(Number(stats.uid), Number(stats.gid));
  await file.chmod(Number(stats.mode & PLAIN_BITS));
}

/** The folder around it may be gone as well, as the command was free to do. */
async function putIn(path: string, put: (heldPath: string) => Promise<void> | void): Promise<boolean> {
  try {
    using folder = pinFolder(dirname(path));
    await put(folder.at(basename(path)));
    return true;
  } catch {
    return false;
  }
}
