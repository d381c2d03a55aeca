import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync, type Stats } from "node:fs";

/** How many entries may still be looked at for one line. */
export interface Budget {
  left: number;
}

const MOST_ENTRIES = 20_000;

export function newBudget(): Budget {
  return { left: MOST_ENTRIES };
}

/** Thrown where a line speaks of more files than anybody looks through before each command. */
export class TooMany extends Error {}

/** The entries of a folder; none where it is not there or cannot be opened, because the command sees none either. */
export function entriesOf(folder: string, budget: Budget): readonly Dirent[] {
  try {
    const entries = readdirSync(folder === "" ? "/" : folder, { withFileTypes: true });
    budget.left -= entries.length;
    if (budget.left < 0) throw new TooMany(folder);
    return entries;
  } catch (error) {
    if (error instanceof TooMany) throw error;
    return [];
  }
}

export type Kind = "file" | "folder" | "link" | "other";

/** What stands at a path, without following a link there; `undefined` where nothing can be reached by it. */
export function kindAt(path: string): Kind | undefined {
  const found = statOf(path);
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return "link";
  if (found.isDirectory()) return "folder";
  return found.isFile() ? "file" : "other";
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const LONGEST_TEXT = 1_048_576;

/** A small text; `undefined` where there is none that can be read. */
export function textAt(path: string): string | undefined {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size <= LONGEST_TEXT ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** Where links lead; the path itself where that cannot be told. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
