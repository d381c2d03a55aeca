import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";

/** How many entries may still be looked at for one line. */
export interface Budget {
  left: number;
  /** Those that patterns may match: each of them becomes an arg. */
  readonly expanding?: Budget;
}

/** By names alone, so many take about a second. */
export const MOST_ENTRIES = 250_000;
const MOST_EXPANDED = 20_000;

export function newBudget(): Budget {
  return { left: MOST_ENTRIES, expanding: { left: MOST_EXPANDED } };
}

/** Thrown if a line names more files than are examined before a command. */
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

type Kind = "file" | "folder" | "link" | "other";

/** What is at a path, without following a link there; `undefined` if nothing can be reached by it. */
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

/** A small text; `undefined` if there is none that can be read. */
export function textAt(path: string): string | undefined {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size <= LONGEST_TEXT ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** Where links lead; the path itself if that is unknown. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Files by which a project selects the program for a name, if a version manager uses them. */
const CHOOSING: readonly { readonly file: string; readonly names: RegExp }[] = [
  // `path:` is a folder that may be in the project.
  { file: ".tool-versions", names: /\bpath:/ },
  { file: "mise.toml", names: /\bpath:|_\.(?:file|path|source)/ },
  { file: ".mise.toml", names: /\bpath:|_\.(?:file|path|source)/ },
  // A version is no path; pyenv before 2.3.3 took one.
  { file: ".python-version", names: /\// },
];

const MANAGED: ReadonlySet<string> = new Set(["node", "python", "python3"]);

/** The file of the project that names another program for this one; `undefined` where none does. */
export function chosenBy(name: string, folder: string, roots: readonly string[]): string | undefined {
  if (!MANAGED.has(name)) return undefined;
  for (let at = folder; roots.some((root) => isWithin(at, root)); at = dirname(at))
    for (const { file, names } of CHOOSING) {
      const path = join(at, file);
      if (names.test(textAt(path) ?? "")) return path;
    }
  return undefined;
}
