import { closeSync, constants, openSync, readFileSync, readSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { bareName, runsCode } from "@toolkeep/core/internal";
import { isProgram, namesIn, realOf } from "../../../files/entries.ts";
import { CHOOSING_FOLDERS, type ChoosingFile } from "./choosing-files.ts";
import { isOwn, type Look } from "./foreign-code.ts";
import { ownCode } from "./own-code.ts";
import { NEVER_SCRIPTS, SHIMS, type Shim, UNKNOWN_SHIM } from "./program-shims.ts";

interface Searching extends Look {
  /** A folder that the line puts before the search path. */
  readonly activated?: string | undefined;
}

/**
 * The file by which the project, and not the user, says what a program is: the program itself if the search path leads
 * into the project, or a file that a shim follows and that picks more than a version; `undefined` where there is none.
 */
export function chosenBy(argv: readonly string[], look: Searching): string | undefined {
  const [given = ""] = argv;
  const found = given.includes("/") ? resolve(look.folder, given) : onSearchPath(given, look);
  const name = basename(given);
  if (
    look.activated !== undefined &&
    found === join(look.activated, given) &&
    ownCode(argv, look) === undefined
  )
    return found;
  if (found !== undefined && !given.includes("/") && isOwn(realOf(found), look) && !runsCode(argv))
    return found;
  const shims = [...shimsAt(found, name), ...shimsAt(inKnownFolder(name), name)];
  return shims.length === 0 ? undefined : chosenFor(name, new Set(shims), look);
}

/** An entry without a root is looked for in the working directory, and an empty one is that directory. */
function onSearchPath(name: string, { folder, activated }: Searching): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return [...(activated === undefined ? [] : [activated]), ...folders]
    .map((one) => resolve(folder, one, name))
    .find(isProgram);
}

/** A client may search in more folders than its hook does. */
function inKnownFolder(name: string): string | undefined {
  return SHIMS.flatMap(foldersOf)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function foldersOf({ folders = [] }: Shim): readonly string[] {
  return folders.map(([variable = "", usual = "", shims = ""]) =>
    join(process.env[variable] ?? join(homedir(), usual), shims),
  );
}

function shimsAt(path: string | undefined, name: string): readonly Shim[] {
  if (path === undefined) return [];
  const end = realOf(path);
  const script = scriptAt(end);
  const known = SHIMS.filter(
    (shim) =>
      shim.end?.test(end) === true ||
      (script !== undefined && shim.script?.test(script) === true) ||
      foldersOf(shim).includes(dirname(path)),
  );
  if (known.length > 0) return known;
  const isUnknown =
    basename(dirname(path)) === "shims" || (script !== undefined && NEVER_SCRIPTS.has(bareName(name)));
  return isUnknown ? [UNKNOWN_SHIM] : [];
}

const LONGEST_SCRIPT = 4_096;

/** The beginning of a script; `undefined` for what is none. */
function scriptAt(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(LONGEST_SCRIPT);
    const text = bytes.toString("latin1", 0, readSync(file, bytes, 0, LONGEST_SCRIPT, 0));
    return text.startsWith("#!") ? text : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** From the folder upwards, as shims look; the home itself has the files of the user. */
function chosenFor(name: string, shims: ReadonlySet<Shim>, { folder }: Look): string | undefined {
  const home = realOf(homedir());
  const files = [...new Set([...shims].flatMap(({ follows }) => follows))];
  const isLocal = [...shims].some(({ localExcept }) => localExcept !== undefined && !localExcept.test(name));
  for (let at = folder; at !== home; at = dirname(at)) {
    const local = join(at, "node_modules/.bin", name);
    if (isLocal && isProgram(local)) return local;
    const chosen = namesAt(at).find((path) => decides(join(at, path), path, files));
    if (chosen !== undefined) return join(at, chosen);
    if (at === dirname(at)) break;
  }
  return undefined;
}

function namesAt(folder: string): readonly string[] {
  const above = namesIn(folder);
  const first = new Set(above.map((name) => name.toLowerCase()));
  const below = (one: string) => namesIn(join(folder, one)).map((name) => `${one}/${name}`);
  const within = CHOOSING_FOLDERS.filter((one) => first.has(one.split("/")[0] ?? "")).flatMap(below);
  // Each folder in `conf.d` may have settings of its own.
  return [...above, ...within, ...within.filter((one) => one.includes("/conf.d/")).flatMap(below)];
}

const LONGEST_TEXT = 1_048_576;

/** A file that cannot be read in full may say anything; a folder of that name says nothing. */
function decides(path: string, name: string, files: readonly ChoosingFile[]): boolean {
  const file = files.find((one) => one.name.test(name));
  if (file === undefined) return false;
  try {
    const found = statSync(path);
    if (found.isDirectory()) return false;
    return !found.isFile() || found.size > LONGEST_TEXT || !file.isOrdinary(readFileSync(path, "utf8"));
  } catch {
    return true;
  }
}
