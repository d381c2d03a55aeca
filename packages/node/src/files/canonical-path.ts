import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { fileFailure } from "./file-failure.ts";

/**
 * The absolute path with links resolved, also for what does not exist yet: then it is where it would be created, behind
 * a dangling link too. Names are as the volume has them. Nothing can be beneath something that is not a folder, and
 * such a path stays as it is: `cp a b` names `b/a` in case `b` is a folder.
 * @throws ToolFailure for a path that is relative, too long or contains a NUL, that has circular links, climbs out of
 * something that is not a folder, has a missing name that is another spelling of an entry, or is in the system's own
 * folders (`/proc`, `/sys`, `/dev`).
 */
export async function canonicalPath(path: string): Promise<string> {
  const error = errorOf(path);
  if (error !== undefined) throw error;
  try {
    return resolve(path);
  } catch (error) {
    throw fileFailure(error, path);
  }
}

const LONGEST_PATH = 4_096;
const MOST_LINKS = 40;
const MOST_NAMES = 1_000;
const SYSTEM_PLACE = /^\/(?:proc|sys|dev)(?:\/|$)/;

function errorOf(path: string): ToolFailure | undefined {
  if (process.platform === "win32")
    return new ToolFailure("unavailable", "Files are not opened on Windows yet.");
  if (path.includes("\0")) return unusable("A path may not contain a NUL character.");
  if (Buffer.byteLength(path) >= LONGEST_PATH) return unusable("The path is too long.");
  if (!path.startsWith("/")) return unusable(`${JSON.stringify(path)} is not an absolute path.`);
  return undefined;
}

/** Name by name as the system does, because `..` after a link leads elsewhere than its text. */
function resolve(path: string): string {
  const ahead = path.split("/").reverse();
  let at = "";
  let kind: "folder" | "other" | "missing" = "folder";
  let links = 0;
  for (let steps = 0; ahead.length > 0; steps += 1) {
    if (steps > MOST_NAMES) throw unusable(`${JSON.stringify(path)} has too many parts.`);
    const name = ahead.pop() as string;
    if (kind === "other" && /^\.{0,2}$/.test(name))
      throw new ToolFailure("not_found", `${JSON.stringify(at)} is not a folder.`);
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (kind === "missing") throw new ToolFailure("not_found", `There is no folder ${JSON.stringify(at)}.`);
      at = at.slice(0, Math.max(at.lastIndexOf("/"), 0));
      continue;
    }
    const entryPath = `${at}/${name}`;
    refuseSystemPath(entryPath);
    const entry: Stats | undefined =
      kind === "folder" ? lstatSync(entryPath, { throwIfNoEntry: false }) : undefined;
    if (kind === "folder" && entry === undefined) refuseOtherSpelling(at, name);
    if (entry?.isSymbolicLink() === true) {
      links += 1;
      if (links > MOST_LINKS) throw loop(path);
      const target = readlinkSync(entryPath);
      if (target.startsWith("/")) at = "";
      ahead.push(...target.split("/").reverse());
      continue;
    }
    at = entry === undefined ? entryPath : `${at}/${nameOnDisk({ folder: at, name, entry })}`;
    refuseSystemPath(at);
    kind = entry === undefined ? "missing" : entry.isDirectory() ? "folder" : "other";
  }
  if (Buffer.byteLength(at) >= LONGEST_PATH)
    throw unusable(`${JSON.stringify(path)} leads to a path that is too long.`);
  return at === "" ? "/" : at;
}

function refuseSystemPath(path: string): void {
  if (!SYSTEM_PLACE.test(path)) return;
  throw new ToolFailure(
    "out_of_scope",
    `${JSON.stringify(path)} belongs to the system and is not for files.`,
  );
}

function loop(path: string): ToolFailure {
  return new ToolFailure(
    "tool_failed",
    `${JSON.stringify(path)} goes through too many links, perhaps in a circle.`,
  );
}

function unusable(message: string): ToolFailure {
  return new ToolFailure("invalid_arguments", message, { hint: "Give an absolute path." });
}

interface FoundName {
  readonly folder: string;
  /** As it was written. */
  readonly name: string;
  /** The entry it led to. */
  readonly entry: Stats;
}

/**
 * The name of an entry as the folder itself has it. If a volume does not tell `.GIT` from `.git`, or one way of writing
 * an accent from the other, names must be compared with this one.
 */
function nameOnDisk({ folder, name, entry }: FoundName): string {
  if (!spellingsOf(name).some((other) => isSame(`${folder}/${other}`, entry))) return name;
  const names = readdirSync(folder === "" ? "/" : folder);
  // Two links to one file may differ only in their case on a volume that tells cases apart.
  if (names.includes(name)) return name;
  const wanted = folded(name);
  return names.find((one) => folded(one) === wanted) ?? name;
}

/** Other spellings that lead to the same entry on a volume that does not tell them apart, and nowhere on one that does. */
function spellingsOf(name: string): string[] {
  const upper = name.toUpperCase();
  const spellings = [upper === name ? name.toLowerCase() : upper];
  if (NOT_ASCII.test(name)) spellings.push(name.normalize("NFC"), name.normalize("NFD"));
  return spellings.filter((spelling) => spelling !== name);
}

const NOT_ASCII = /[^\0-\x7f]/;

function isSame(path: string, entry: Stats): boolean {
  const other = lstatSync(path, { throwIfNoEntry: false });
  return other !== undefined && other.ino === entry.ino && other.dev === entry.dev;
}

function folded(name: string): string {
  return name.normalize("NFC").toUpperCase().toLowerCase();
}

/**
 * Refuses a missing name if the folder has an entry that is canonically equivalent (the same in Unicode NFC), such as
 * two ways to write `é`, or the sign for kelvin and the letter K. Some programs open that entry if there is none with
 * exactly this name, while rules compare names as they are written: it would be unclear which of the two is meant.
 * @throws ToolFailure `invalid_arguments`; an error of the file system if the folder cannot be listed.
 */
function refuseOtherSpelling(folder: string, name: string): void {
  if (!MAY_HAVE_OTHERS.test(name)) return;
  const wanted = name.normalize("NFC");
  const names = readdirSync(folder === "" ? "/" : folder);
  // A name on the disk that is no valid text looks like this one, and is not.
  if (!names.some((one) => one !== name && one.normalize("NFC") === wanted)) return;
  throw new ToolFailure(
    "invalid_arguments",
    `There is no ${JSON.stringify(`${folder}/${name}`)}, but one whose name is spelled in another way (Unicode).`,
    { hint: "List the folder, and give the name exactly as it is written there, or choose another." },
  );
}

/** No other text is equivalent to one of ASCII, but for these three characters. Most folders need not be listed. */
const MAY_HAVE_OTHERS = /[^\0-\x7f]|[K;`]/;
