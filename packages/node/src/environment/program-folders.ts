import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expression, listIn, PROGRAM_FOLDERS as table, wordsIn } from "@toolkeep/catalog/internal";
import { isWithin } from "@toolkeep/core/internal";
import { namesIn, realOf } from "../files/entries.ts";

type Values = Readonly<Record<string, string | undefined>>;

/**
 * The folders that the programs in a folder of the search path need: the whole installation if it is one, and the data of the version manager whose programs they are. Absolute and free of links.
 */
export function programFolders(folder: string, home: string, values: Values): readonly string[] {
  const around = dirname(folder);
  const installation = isInstallation(folder, around, home) ? [around] : [];
  const at = (place: string) => {
    const [variable = "", usual = "", part = ""] = place.split(" ");
    const given = values[variable];
    return join(given?.startsWith("/") === true ? given : join(home, usual), part);
  };
  const isOf = ({ in: place, with: program = "" }: Manager) =>
    place === undefined ? namesIn(folder).includes(program) : isWithin(folder, realOf(at(place)));
  const data = MANAGERS.filter(isOf).flatMap(({ needs, settings = [] }) => [
    ...needs.map(at),
    ...settings.map(at).filter(hasNoValues),
  ]);
  return [...installation, ...data.flatMap(real)];
}

/** What installations have next to their programs, and nothing else is next to them. */
const INSTALLED = expression(table.installed);

/** What programs keep for a user: a folder with one of these is a home. */
const OF_A_HOME = expression(table.ofHome);

/** Folders in which programs keep data and credentials next to `bin`. */
const OF_THE_USER = wordsIn(table.ofUser);

/** `bin` of an installation: its libraries are next to it. A folder of the user with other things in it is none. */
function isInstallation(folder: string, around: string, home: string): boolean {
  if (!/^s?bin$/.test(basename(folder)) || isWithin(home, around) || OF_THE_USER.has(basename(around)))
    return false;
  const names = namesIn(around);
  if (names.includes("Cellar")) return true;
  return (
    names.some((name) => /^lib(?:32|64|exec)?$/.test(name)) &&
    names.every((name) => INSTALLED.test(name) && !OF_A_HOME.test(name))
  );
}

/** What servers that Homebrew installs keep in an installation: databases, for example. */
export function dataIn(installation: string): readonly string[] {
  return namesIn(installation).includes("Cellar") ? real(join(installation, "var")) : [];
}

/** A version manager. Folders are written with the variable that names them, the usual one in the home, and a part of it. */
interface Manager {
  /** Where its programs are. */
  readonly in?: string;
  /** Or one of them. */
  readonly with?: string;
  readonly needs: readonly string[];
  /** Files that are needed if no value is set in them. */
  readonly settings?: readonly string[];
}

/**
 * Never a folder with credentials or settings: of those only single files that have none. Programs of Node start package
 * managers that Node keeps in the cache.
 */
const MANAGERS: readonly Manager[] = table.managers;

/** Names of variables by which these programs find their folders. Their values are paths. */
export const MANAGER_VARIABLES = listIn(table.variables);

/** Among settings of all kinds of programs, one that was looked into. */
export function isSettingsOfPrograms(path: string): boolean {
  return path.endsWith(`/${table.lookedInto}`);
}

/** Settings of mise may set variables for all projects, with secrets among them. */
function hasNoValues(path: string): boolean {
  try {
    return !/^\s*\[\s*["']?(?:env|vars)\b|^\s*env\s*=|_\.(?:file|source)/m.test(readFileSync(path, "utf8"));
  } catch {
    return false;
  }
}

function real(path: string): readonly string[] {
  try {
    const found = realpathSync.native(path);
    return statSync(found) === undefined ? [] : [found];
  } catch {
    return [];
  }
}
