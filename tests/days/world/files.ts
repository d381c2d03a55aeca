import { createHash } from "node:crypto";
import {
  chmodSync,
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** What each path of a folder is, in words that are equal exactly if it is the same. */
export type Files = ReadonlyMap<string, string>;

/** Contents by their digests, shared by all worlds. */
const STORE = "/srv/contents";
const LARGEST_TEXT = 200_000;
/** A file that is unchanged by its times is not read again. */
const digests = new Map<string, string>();

/** `skips` is told paths relative to the folder. */
export function filesIn(folder: string, skips: (path: string) => boolean): Files {
  const files = new Map<string, string>();
  const walk = (path: string) => {
    for (const entry of entriesOf(join(folder, path))) {
      const inner = join(path, entry.name);
      if (skips(inner)) continue;
      const words = wordsFor(join(folder, inner), entry);
      if (words !== undefined) files.set(inner, words);
      if (entry.isDirectory()) walk(inner);
    }
  };
  walk("");
  return files;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function wordsFor(path: string, entry: Dirent): string | undefined {
  try {
    if (entry.isSymbolicLink()) return `link ${readlinkSync(path)}`;
    const { mode, ino, mtimeMs, ctimeMs, size } = lstatSync(path);
    const rights = (mode & 0o777).toString(8);
    if (entry.isDirectory()) return `folder ${rights}`;
    if (!entry.isFile()) return undefined;
    const times = [path, ino, mtimeMs, ctimeMs, size].join(" ");
    const digest = digests.get(times) ?? kept(readFileSync(path));
    digests.set(times, digest);
    return `file ${rights} ${digest}`;
  } catch {
    // It is gone, or closed to its owner.
    return entry.isFile() ? "unreadable" : undefined;
  }
}

function kept(content: Buffer): string {
  const digest = createHash("sha256").update(content).digest("hex");
  if (!existsSync(join(STORE, digest))) {
    writeFileSync(join(STORE, digest), content);
  }
  return digest;
}

/** The text of a file as it was, unless it is large or no text. */
export function contentOf(words: string | null | undefined): string | undefined {
  const [kind, , digest] = words?.split(" ") ?? [];
  if (kind !== "file" || digest === undefined) return undefined;
  const content = readFileSync(join(STORE, digest));
  return content.length > LARGEST_TEXT || content.includes(0) ? undefined : content.toString("utf8");
}

/** Every path that is not the same, with what it is now. `undefined`: it is gone. */
export function changedFiles(before: Files, now: Files): ReadonlyMap<string, string | undefined> {
  const paths = [...before.keys(), ...[...now.keys()].filter((path) => !before.has(path))];
  return new Map(
    paths.filter((path) => before.get(path) !== now.get(path)).map((path) => [path, now.get(path)]),
  );
}

/** Makes a folder what it was. */
export function restoreFiles(folder: string, now: Files, wanted: Files): void {
  const changes = changedFiles(now, wanted);
  for (const path of [...changes.keys()].toSorted().toReversed())
    if (!isFolder(wanted.get(path)) || !isFolder(now.get(path)))
      rmSync(join(folder, path), { recursive: true, force: true });
  for (const [path, words] of [...changes].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    if (words !== undefined) make(join(folder, path), words);
}

function isFolder(words: string | undefined): boolean {
  return words?.startsWith("folder") ?? false;
}

function make(path: string, words: string): void {
  const [kind, rights = "", digest = ""] = words.split(" ");
  mkdirSync(dirname(path), { recursive: true });
  if (kind === "link") symlinkSync(words.slice("link ".length), path);
  if (kind === "folder") mkdirSync(path, { recursive: true });
  if (kind === "file") writeFileSync(path, readFileSync(join(STORE, digest)));
  if (kind !== "link" && kind !== "unreadable") chmodSync(path, Number.parseInt(rights, 8));
}
