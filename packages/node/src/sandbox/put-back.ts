import { readlinkSync } from "node:fs";
import { chmod, chown, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { endOf, type Find } from "./find.ts";
import { inFolderBeneath } from "./folder-beneath.ts";
import { readSmallFile } from "./read-small-file.ts";

/** A link or a small file as it was before a command ran. */
export interface KeptThing {
  readonly path: string;
  readonly type: "link" | "file";
  /** Puts it where nothing is now, beneath a root, following no link; says whether it did. */
  readonly putBack: (root: string) => Promise<boolean>;
}

const MOST_BYTES = 2 ** 18;

/**
 * What can be put back of what was found. A link cannot be held in its place at all. A file can; but whoever
 * puts another in its place from outside takes away with it what holds it within.
 */
export function keptThings(finds: readonly Find[], write: readonly string[]): readonly KeptThing[] {
  return finds.flatMap((find) => {
    try {
      if (find.type === "link") return keptLink(find.path, write);
      return find.type === "file" && KEPT.has(find.kind) ? (keptFile(find.path) ?? []) : [];
    } catch {
      // It is gone, or not ours to read.
      return [];
    }
  });
}

const KEPT: ReadonlySet<Find["kind"]> = new Set(["repository", "protected", "obeyed secret"]);

/** A link that would lead elsewhere now is not the one it was. */
function keptLink(path: string, write: readonly string[]): KeptThing {
  const target = readlinkSync(path);
  const end = endOf(path, write);
  const isAsItWas = () => endOf(resolve(dirname(path), target), write) === end;
  return {
    path,
    type: "link",
    putBack: (root) =>
      putAt(root, path, async (place) => {
        if (!isAsItWas()) throw new Error("it leads elsewhere");
        await symlink(target, place);
      }),
  };
}

function keptFile(path: string): KeptThing | undefined {
  const file = readSmallFile(path, { mostBytes: MOST_BYTES, followsLinks: false });
  if (file === undefined) return undefined;
  const { bytes, stats } = file;
  return {
    path,
    type: "file",
    putBack: (root) =>
      putAt(root, path, async (place) => {
        await writeFile(place, bytes, { flag: "wx", mode: 0o600 });
        if (process.getuid?.() === 0) await chown(place, stats.uid, stats.gid);
        await chmod(place, stats.mode & 0o7777);
      }),
  };
}

/** The folder around it may be gone as well, as the command was free to do. */
async function putAt(root: string, path: string, put: (place: string) => Promise<void>): Promise<boolean> {
  return inFolderBeneath(root, dirname(path), (within) => put(join(within, basename(path)))).then(
    () => true,
    () => false,
  );
}
