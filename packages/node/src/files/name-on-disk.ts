import { lstatSync, readdirSync, type Stats } from "node:fs";

export interface FoundName {
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
