import {
  accessSync,
  constants,
  type Dirent,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { unlessThrown } from "@toolkeep/core/internal";

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

/** The names in a folder; none where it cannot be opened. */
export function namesIn(folder: string): readonly string[] {
  return unlessThrown(() => readdirSync(folder)) ?? [];
}

/** What is at a path, without following a link there; `undefined` if nothing can be reached by it. */
export function kindAt(path: string): "file" | "folder" | "link" | "other" | undefined {
  const found = unlessThrown(() => lstatSync(path, { throwIfNoEntry: false }));
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return "link";
  if (found.isDirectory()) return "folder";
  return found.isFile() ? "file" : "other";
}

/** Whether a file is there that this process may start. Links are followed. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    const found = statSync(path);
    return found.isFile() && (found.mode & 0o111) !== 0;
  } catch {
    return false;
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

/** The folder that a path leads to, if there is one. */
export function realFolder(path: string): string | undefined {
  const folder = unlessThrown(() => realpathSync.native(path));
  return folder !== undefined && kindAt(folder) === "folder" ? folder : undefined;
}

/** Where links lead; the path itself if that is unknown. */
export function realOf(path: string): string {
  return unlessThrown(() => realpathSync(path)) ?? path;
}
