import { spawnSync } from "node:child_process";
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { defined } from "@toolkeep/core/internal";
import { errorCode } from "../../../files/file-failure.ts";
import { CALL_NUMBERS } from "../place/call-numbers.ts";
import { isFolder, isNewer, keyAt, type Stamp, stampOf, statsAt } from "./stamp.ts";

/** What a contained command made different at one path. Nothing of it is in the project yet. */
export interface Change {
  /** Relative to the project. */
  readonly path: string;
  /** `put`: what the layer has there comes to the project. `mode` and `touch`: only the rights, or the times. */
  readonly does: "put" | "remove" | "mode" | "touch";
  readonly type: "file" | "folder" | "link";
  /** What is in the project; missing if nothing is. */
  readonly was?: Stamp;
  /** Files in a new folder, relative to the project. */
  readonly inside?: readonly string[];
  /** Whether another program changed it since the command began. */
  readonly isContested: boolean;
}

export interface ChangeSet {
  readonly changes: readonly Change[];
  /** What a change set cannot carry, and why. */
  readonly left: readonly LeftOut[];
}

interface LeftOut {
  readonly path: string;
  readonly why: string;
}

const NO_FILE = "not a file, a folder or a link with a name of text";
const CLOSED = "a folder that its owner may not read";
const TOO_LONG = "the path of a folder that is too long";

interface LayerFolders {
  /** The project itself. */
  readonly below: string;
  /** What commands wrote. */
  readonly upper: string;
  /** When the command began, as the file system of the project counts. */
  readonly since: bigint;
  /** What was copied to the layer before the command began, relative to the project. */
  readonly copied?: ReadonlySet<string>;
}

/** The names that a layer shows, by the folder that they are in. */
export type ShownNames = ReadonlyMap<string, ReadonlySet<string>>;

/** Those of each folder that is in the project too. To be called while the layer is mounted. */
export function shownNames(
  layer: Pick<LayerFolders, "below" | "upper"> & { readonly merged: string },
  folder = "",
): ShownNames {
  const found = new Map<string, ReadonlySet<string>>();
  for (const entry of readdirSync(join(layer.upper, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory() || !isFolder(join(layer.below, path))) continue;
    if (whyClosed(join(layer.upper, path)) !== undefined) continue;
    found.set(path, new Set(readdirSync(join(layer.merged, path))));
    for (const [inner, names] of shownNames(layer, path)) found.set(inner, names);
  }
  return found;
}

/** Everything that a command left different, read from its layer. */
export function changeSet(folders: LayerFolders, shown: ShownNames): ChangeSet {
  const found: Finding = { ...folders, shown, changes: [], left: [] };
  walk(found, "");
  return { changes: withGone(found), left: found.left };
}

/** What another program deleted, moved or renamed meanwhile does not come back by itself. */
function withGone(found: Finding): readonly Change[] {
  const { below, upper, since, changes } = found;
  // Taking an entry out of a folder changes the folder.
  const isCandidate = ({ path, was, type, isContested }: Change) =>
    was === undefined &&
    !isContested &&
    type !== "link" &&
    (statsAt(dirname(join(below, path)))?.ctimeNs ?? 0n) > since;
  const copied = copiedUp(changes.filter(isCandidate).map(({ path }) => join(upper, path)));
  if (copied.size === 0) return changes;
  const moved = new Set(changes.flatMap(({ path, was }) => (was ? keysIn(join(below, path)) : [])));
  const isGone = (at: string) => copied.has(at) && !keysIn(at).some((key) => moved.has(key));
  return changes.map((one) => (isGone(join(upper, one.path)) ? { ...one, isContested: true } : one));
}

/** Where the system may have `perl`. */
const PATH = "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin";
/** `ENODATA` and `EOPNOTSUPP`: it was made in the layer. */
const READ = `while (<STDIN>) { chomp; my ($path, $key, $none) = (pack("H*", $_), "user.overlay.origin", "");
  print syscall($ARGV[0] + 0, $path, $key, $none, 0) < 0 && ($! == 61 || $! == 95) ? 0 : 1 }`;

/** Which entries of a layer are copies of what the project had when they were first written to. In doubt, all. */
function copiedUp(paths: readonly string[]): ReadonlySet<string> {
  if (paths.length === 0) return new Set();
  const input = paths.map((path) => `${Buffer.from(path).toString("hex")}\n`).join("");
  const options = { input, env: { PATH }, cwd: "/", encoding: "utf8", maxBuffer: 2 ** 27 } as const;
  const { stdout } = spawnSync("perl", ["-e", READ, `${CALL_NUMBERS?.lgetxattr ?? 0}`], options);
  return new Set(paths.filter((_, at) => stdout?.[at] !== "0"));
}

/** Of a folder, of all of its files that can be looked at. */
function keysIn(path: string): readonly string[] {
  if (isFolder(path) && whyClosed(path) !== undefined) return [];
  if (isFolder(path)) return readdirSync(path).flatMap((name) => keysIn(join(path, name)));
  return [keyAt(path) ?? []].flat();
}

interface Finding extends LayerFolders {
  readonly shown: ShownNames;
  readonly changes: Change[];
  readonly left: LeftOut[];
}

function walk(found: Finding, folder: string): void {
  for (const name of readdirSync(join(found.upper, folder))) {
    const path = folder === "" ? name : `${folder}/${name}`;
    if (name.includes("\u{fffd}")) found.left.push({ path, why: NO_FILE });
    else look(found, path);
  }
}

function look(found: Finding, path: string): void {
  const made = lstatSync(join(found.upper, path), { bigint: true });
  if (made.isCharacterDevice()) add(found, path, "remove");
  else if (made.isDirectory()) lookInto(found, path, made);
  else if (!made.isFile() && !made.isSymbolicLink()) found.left.push({ path, why: NO_FILE });
  else add(found, path, difference(found, path, made));
}

function lookInto(found: Finding, path: string, made: BigIntStats): void {
  const { below, upper, shown } = found;
  const was = statsAt(join(below, path));
  if (was?.isDirectory() !== true) {
    add(found, path, "put", collect(found, path));
    return;
  }
  const why = whyClosed(join(upper, path)) ?? whyClosed(join(below, path));
  if (why !== undefined) {
    found.left.push({ path, why });
    return;
  }
  if ((made.mode & RIGHTS) !== (was.mode & RIGHTS)) add(found, path, "mode");
  const own = new Set(readdirSync(join(upper, path)));
  const seen = shown.get(path);
  // A folder that was removed and made again hides what is beneath without naming it.
  for (const name of seen === undefined ? [] : readdirSync(join(below, path)))
    if (seen?.has(name) === false && !own.has(name)) add(found, `${path}/${name}`, "remove");
  walk(found, path);
}

/** Files and links in a new folder. Marks of what was removed again go. */
function collect(found: Finding, path: string): readonly string[] {
  const why = whyClosed(join(found.upper, path));
  if (why !== undefined) {
    found.left.push({ path, why });
    return [];
  }
  return readdirSync(join(found.upper, path), { withFileTypes: true }).flatMap((entry) => {
    const at = `${path}/${entry.name}`;
    const isText = !entry.name.includes("\u{fffd}");
    if (!isText || entry.isSocket() || entry.isFIFO()) found.left.push({ path: at, why: NO_FILE });
    // Nothing is found by a name that only stands for one.
    if (!isText) return [];
    if (entry.isCharacterDevice()) rmSync(join(found.upper, at));
    if (entry.isDirectory()) return collect(found, at);
    return entry.isFile() || entry.isSymbolicLink() ? [at] : [];
  });
}

/** Why what is in a folder cannot be looked at; `undefined` if it can. */
function whyClosed(folder: string): string | undefined {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EACCES") return CLOSED;
    if (code === "ENAMETOOLONG") return TOO_LONG;
    throw error;
  }
}

const RIGHTS = 0o7777n;

/** A file that was opened to be written to is in the layer though nothing may be different. */
function difference({ upper, below }: Finding, path: string, made: BigIntStats): Change["does"] | undefined {
  const [one, other] = [join(upper, path), join(below, path)];
  const was = statsAt(other);
  const isSameKind = made.isFile() ? was?.isFile() : was?.isSymbolicLink();
  if (was === undefined || isSameKind !== true || made.size !== was.size) return "put";
  const isSame = made.isFile() ? hasSameBytes(one, other) : readlinkSync(one) === readlinkSync(other);
  if (!isSame) return "put";
  if (made.isSymbolicLink()) return undefined;
  if ((made.mode & RIGHTS) !== (was.mode & RIGHTS)) return "mode";
  return made.mtimeNs === was.mtimeNs ? undefined : "touch";
}

/** Nothing, where nothing is to be removed. */
function add(found: Finding, path: string, does?: Change["does"], inside?: readonly string[]): void {
  const { below, upper, since, copied } = found;
  const was = statsAt(join(below, path));
  const made = does === "remove" ? was : statsAt(join(upper, path));
  if (does === undefined || made === undefined) return;
  // What others do in a folder that stays is no change of it.
  const isEdited = (it: BigIntStats) =>
    !(it.isDirectory() && does === "mode") &&
    (it.ctimeNs > since || (it.isDirectory() && isNewer(join(below, path), since)));
  const type = made.isDirectory() ? "folder" : made.isSymbolicLink() ? "link" : "file";
  const isContested = was === undefined ? copied?.has(path) === true : isEdited(was);
  found.changes.push({ path, does, type, ...defined({ was: was && stampOf(was), inside }), isContested });
}

/** For one file at a time: making them takes longer than reading most files. */
const PARTS = [0, 1].map(() => Buffer.alloc(256 * 1_024));

/** A file that is closed to us is not known to be the same. */
export function hasSameBytes(one: string, other: string): boolean {
  const files: number[] = [];
  try {
    for (const path of [one, other]) files.push(openSync(path, "r"));
    for (;;) {
      const [count = 0, otherCount] = files.map((file, at) => readSync(file, PARTS[at] as Buffer));
      if (count !== otherCount) return false;
      if (count === 0) return true;
      if (PARTS[0]?.compare(PARTS[1] as Buffer, 0, count, 0, count) !== 0) return false;
    }
  } catch (error) {
    if (errorCode(error) === "EACCES") return false;
    throw error;
  } finally {
    for (const file of files) closeSync(file);
  }
}
