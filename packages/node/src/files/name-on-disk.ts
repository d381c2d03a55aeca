import { lstatSync, readdirSync, type Stats } from "node:fs";
import { ToolFailure } from "@toolkeep/core";

interface FoundName {
  readonly folder: string;
  /** As somebody wrote it. */
  readonly name: string;
  /** What it led to. */
  readonly entry: Stats;
}

/**
 * The name of an entry as the folder itself has it. Where a volume takes `.GIT` for `.git`, or one way
 * of writing an accent for the other, whoever compares names must compare with this one.
 */
export function nameOnDisk({ folder, name, entry }: FoundName): string {
  if (!spellingsOf(name).some((other) => isSame(`${folder}/${other}`, entry))) return name;
  const names = readdirSync(folder === "" ? "/" : folder);
  // Two links to one file may differ in nothing but their case, where case counts.
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
 * Refuses a missing name if the folder has an entry that is canonically equivalent (the same in Unicode NFC), as two
 * ways to write `é` are, or the sign for kelvin and the letter K. Some programs open that entry where there is none of
 * the very name, while rules compare names as they are written: nobody could tell which of the two is meant.
 * @throws ToolFailure `invalid_arguments`; an error of the file system if the folder cannot be listed.
 */
export function refuseOtherSpelling(folder: string, name: string): void {
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
