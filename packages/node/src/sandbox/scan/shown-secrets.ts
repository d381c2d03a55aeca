import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isProtectedName, isWithin } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { holdFolder } from "../../files/pinned-folder.ts";
import { gitStates } from "../../git/git-states.ts";
import { type Find, findAt, identityOf, isSecretKind } from "./find.ts";

/**
 * Marks what has a name of secrets and is shown all the same: files whose very bytes the repository keeps, where a
 * command can read them anyway. Otherwise git would take tracked files for changed ones and could not read them. What
 * also decides what is run is shown and cannot be changed. What a rule or the host application hides stays hidden.
 */
export function withShown(finds: readonly Find[], profile: ShownProfile): readonly Find[] {
  const mounted = [...profile.read, ...profile.write];
  const isHidden = (path: string) => profile.hidden.some((one) => isWithin(path, one));
  const isVisible = (path: string) => mounted.some((one) => isWithin(path, one)) && !isHidden(path);
  const secrets = finds.filter(({ kind, path }) => isSecretKind(kind) && isVisible(path));
  if (secrets.length === 0) return finds;
  const looked = secrets.map((find) => ({ find, files: filesOf(find) }));
  const paths = looked.flatMap(({ files }) => files.map(({ path }) => path));
  const states = gitStates([...new Set(paths)].filter(isVisible), isVisible);
  const isDenied = (path: string) => profile.isDeniedToRead?.(path) === true;
  const isRecorded = ({ path }: SecretFile) => states.get(path) === "recorded" && !isDenied(path);
  const marked = new Map(
    looked.map(({ find, files }) => {
      const root = mounted.find((one) => isWithin(find.path, one)) ?? "";
      if (states.get(find.path) === "modified") return [find, [{ ...find, isModified: true as const }]];
      return [find, isDenied(find.path) ? [find] : markedFinds(find, { files, root, isRecorded })];
    }),
  );
  return finds.flatMap((find) => marked.get(find) ?? find);
}

type ShownProfile = Pick<SandboxProfile, "read" | "write" | "hidden" | "isDeniedToRead">;

/** A file that a find leads to. */
interface SecretFile {
  readonly path: string;
  readonly identity: string;
}

interface LookedFind {
  readonly files: readonly SecretFile[];
  /** The mounted folder that it is in. */
  readonly root: string;
  isRecorded(file: SecretFile): boolean;
}

function markedFinds(find: Find, { files, root, isRecorded }: LookedFind): readonly Find[] {
  const others = files.filter((file) => !isRecorded(file));
  if (others.length === files.length) return [find];
  if (find.type !== "folder") return [{ ...find, shown: shownAs(find, root) }];
  // Nothing can be made in such a folder: new files in it would be secrets again, or be run.
  const hidden = others.map(({ path, identity }): Find => ({ path, kind: "secret", type: "file", identity }));
  return [{ ...find, shown: "read-only" }, ...hidden];
}

function shownAs({ kind, path }: Find, root: string): NonNullable<Find["shown"]> {
  const isProtected = kind === "auto-executed secret" || isProtectedName(path.slice(root.length));
  return isProtected ? "read-only" : "open";
}

function filesOf(find: Find): readonly SecretFile[] {
  const { path, type, identity } = find;
  if (type === "file") return [{ path, identity }];
  if (type === "folder") return filesBeneath(path) ?? [];
  return type === "link" ? targetOf(path) : [];
}

function targetOf(link: string): readonly SecretFile[] {
  try {
    const path = realpathSync.native(link);
    const find = findAt(path, "secret");
    return find?.type === "file" ? [{ path, identity: find.identity }] : [];
  } catch {
    return [];
  }
}

const MOST_FILES = 200;
const DEEPEST = 8;

/** The files in a folder, without following links; `undefined` if there are many, or something in it is no file. */
function filesBeneath(top: string): readonly SecretFile[] | undefined {
  const files: SecretFile[] = [];
  const open = [{ path: top, depth: 0 }];
  try {
    for (const { path, depth } of open) {
      using folder = holdFolder(path);
      for (const name of readdirSync(folder.at("."))) {
        const stats = lstatSync(folder.at(name), { bigint: true });
        if (stats.isDirectory() && depth < DEEPEST) open.push({ path: join(path, name), depth: depth + 1 });
        else if (stats.isFile()) files.push({ path: join(path, name), identity: identityOf(stats) });
        else return undefined;
        if (files.length + open.length > MOST_FILES) return undefined;
      }
    }
    return files;
  } catch {
    return undefined;
  }
}
