import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { isBeneath, isWithin, unlessThrown } from "@toolkeep/core/internal";
import type { SandboxUser } from "../../host/sandbox-user.ts";
import { CALL_NUMBERS } from "../place/call-numbers.ts";
import { quoted } from "../wants/want-lines.ts";
import type { Layer } from "./open-layer.ts";
import { REMADE } from "./remade.ts";
import { runApart } from "./settle-layer.ts";
import { isFolder } from "./stamp.ts";

/*
 * The kernel renames a folder within a layer only if nothing of it comes from the project (`EXDEV`). So the folders
 * that a line may rename are copied to the layer, and marked as whole, before it is mounted.
 */

/** A call, in whatever language. `mv` is none: it copies where it cannot rename. */
const RENAMES = /\bgit\b[^|;&\n]*\bmv\b|\brename(?:Sync|s|at)?\s*["'$(-]|\bos\.replace\(/i;
const MOST_TEXTS = 10;
const MOST_TEXT_BYTES = 65_536;
const MOST_ENTRIES = 5_000;
const MOST_BYTES = 64 * 2 ** 20;

interface Line {
  readonly line: string;
  readonly cwd: string;
  /** Free of links. */
  readonly project: string;
}

export interface RenamedFolders {
  /** Folders that can be copied, relative to the project. */
  readonly fitting: readonly string[];
  /** Those of the rest that are named: too large, or with something in them that cannot be copied. */
  readonly others: readonly string[];
}

/** The folders of the project that a line may rename, as far as it and the scripts that it names tell. */
export function renamedFolders({ line, cwd, project }: Line): RenamedFolders {
  const named = (text: string) => [
    ...new Set(wordsOf(text).flatMap((word) => namedBy(word, { cwd, project }))),
  ];
  const scripts = named(line).slice(0, MOST_TEXTS);
  const texts = [line, ...scripts.flatMap((path) => textOf(join(project, path)))];
  if (!texts.some((text) => RENAMES.test(text))) return { fitting: [], others: [] };
  const folders = [...new Set(texts.flatMap(named))].filter((path) => isFolder(join(project, path)));
  const wanted = folders.length > 0 ? folders : topFolders(project);
  const outer = wanted.filter((path) => !wanted.some((other) => isBeneath(`/${path}`, `/${other}`)));
  const left = { entries: MOST_ENTRIES, bytes: MOST_BYTES };
  const fits = new Set(outer.filter((path) => canBeCopied(join(project, path), left)));
  const others = folders.filter((path) => outer.includes(path) && !fits.has(path));
  return { fitting: [...fits], others };
}

/** What of the project the layer has now. @throws ToolFailure `unavailable` where folders cannot be copied. */
export async function copyWhole(
  folders: readonly string[],
  { project, layer, user }: Readonly<{ project: string; layer: Layer; user: SandboxUser | undefined }>,
): Promise<ReadonlySet<string>> {
  if (folders.length === 0) return new Set();
  const args = ["sh", "-c", COPY, "sh", `${CALL_NUMBERS?.setxattr}`, ...folders];
  await runApart(args, { from: project, to: layer.upper, user }).catch((cause) => {
    const why = `its layer got no copy of ${folders.join(", ")}`;
    throw new ToolFailure("unavailable", `The command cannot be contained: ${why}.`, { cause });
  });
  const entries = readdirSync(layer.upper, { recursive: true, withFileTypes: true });
  return new Set(entries.map(({ parentPath, name }) => relative(layer.upper, join(parentPath, name))));
}

const COPY = `number=$1; shift; cd /from && cp -a --parents -- "$@" /to && exec perl -e '
my ($number, $key, $value) = (shift, "user.overlay.opaque", "y");
for my $path (@ARGV) { my $at = "/to/$path"; syscall($number + 0, $at, $key, $value, 1, 0) == 0 or die $! }' "$number" "$@"`;

/** As a shell, or a script between its quotes, has them. */
function wordsOf(text: string): readonly string[] {
  return [...text.split(/[\s'"`(){}[\]<>;|&,=*$]+/), ...text.split(/["'`\n]/)];
}

/** A file or folder of the project itself, never through a link. */
function namedBy(word: string, { cwd, project }: Omit<Line, "line">): readonly string[] {
  if (word === "" || word.length > 1_024 || word.includes("\0")) return [];
  return [cwd, project].flatMap((base) => {
    const path = resolve(base, word);
    if (!isBeneath(path, project) || isWithin(path, join(project, ".git"))) return [];
    const isReal = unlessThrown(() => realpathSync.native(path)) === path;
    return isReal ? [path.slice(project.length + 1)] : [];
  });
}

function textOf(path: string): readonly string[] {
  const text = unlessThrown(() => {
    const stats = lstatSync(path);
    return stats.isFile() && stats.size <= MOST_TEXT_BYTES ? readFileSync(path, "utf8") : undefined;
  });
  return text === undefined ? [] : [text];
}

function topFolders(project: string): readonly string[] {
  return readdirSync(project, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== ".git" && !REMADE.test(entry.name))
    .map(({ name }) => name);
}

/** Takes what it needs of what is left. */
function canBeCopied(folder: string, left: { entries: number; bytes: number }): boolean {
  const fits = (entry: Dirent): boolean => {
    const path = join(folder, entry.name);
    left.entries -= 1;
    if (entry.isFile()) left.bytes -= lstatSync(path).size;
    if (left.entries < 0 || left.bytes < 0) return false;
    return entry.isDirectory() ? canBeCopied(path, left) : entry.isFile() || entry.isSymbolicLink();
  };
  return unlessThrown(() => readdirSync(folder, { withFileTypes: true }).every(fits)) ?? false;
}

/** As the C library, Rust and Go, and Node say it. */
const EXDEV = /cross-device link|\bEXDEV\b/i;
/** A layer has no file that belongs to a group or a user whose number is not known in its place. */
const EOVERFLOW = /value too large for defined data type|\bEOVERFLOW\b/i;

/** What of a failed command the kernel refuses in a layer; without its output, what may have been a rename. */
export function refusedInLayer(
  { others }: RenamedFolders,
  output: Uint8Array | undefined,
): readonly string[] {
  const text = output === undefined ? undefined : Buffer.from(output).toString();
  if (text !== undefined && EOVERFLOW.test(text))
    return ["a change of a file that belongs to another user or group (EOVERFLOW)"];
  const said = text === undefined ? undefined : EXDEV.test(text);
  if (!(said ?? others.length > 0)) return [];
  const what = others.length === 0 ? "a folder of the project" : others.map(quoted).join(", ");
  return [`${said === undefined ? "perhaps " : ""}a rename of ${what} (EXDEV)`];
}
