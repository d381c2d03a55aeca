import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { directories } from "../environment/directories.ts";
import { readOwnedFile } from "../owned-files/read-owned-file.ts";
import { withFileLock } from "../owned-files/with-file-lock.ts";
import { writeOwnedFile } from "../owned-files/write-owned-file.ts";

/** A file that has a name of its own next to its place for a moment. */
interface NeighbourFile {
  readonly name: string;
  /** What is in it, in few letters. */
  readonly content: string;
}

/** One file of a change, by its canonical path. */
export interface ChangedFile {
  readonly path: string;
  /** What the path gets; missing for a file that is removed. */
  readonly fresh?: NeighbourFile;
  /** What the path had; missing if there was nothing. */
  readonly old?: NeighbourFile;
}

/** What is needed to undo a change of several files, and to clean up after it. */
export interface ChangeRecord {
  readonly files: readonly ChangedFile[];
  /** Folders that are made for it, outermost first. */
  readonly folders: readonly string[];
}

/** The record of one change that is under way. */
interface OpenedRecord {
  /** From here on the change is made, whatever happens. */
  confirm(): void;
  /** Forgets the change, once nothing is left of it but its outcome. */
  forget(): void;
}

/** A record that was left behind by a process that ended. */
export interface LeftRecord extends OpenedRecord {
  readonly record: ChangeRecord;
  /** Whether the change was made; otherwise it has to be undone. */
  readonly isConfirmed: boolean;
}

const UNDER_WAY = ".changing";
const MADE = ".changed";
const MOST_BYTES = 4 * 1_024 * 1_024;

/** Where changes of several files are recorded while they are made: for this user alone, and hidden from every command. */
export function recordsFolder(): string {
  return join(directories().state, "changes");
}

/** Only one change is made at a time, in any process: records that are found then were left behind. */
export async function oneAtATime<Result>(folder: string, run: () => Promise<Result>): Promise<Result> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return withFileLock(join(folder, "lock"), run);
}

/** Writes down what is about to change. Nothing may change before. */
export async function openRecord(folder: string, id: string, record: ChangeRecord): Promise<OpenedRecord> {
  await writeOwnedFile(join(folder, `${id}${UNDER_WAY}`), JSON.stringify(record));
  return recordAt(folder, id);
}

function recordAt(folder: string, id: string): OpenedRecord {
  const path = join(folder, id);
  return {
    confirm: () => renameSync(`${path}${UNDER_WAY}`, `${path}${MADE}`),
    forget: () => {
      for (const state of [UNDER_WAY, MADE]) rmSync(`${path}${state}`, { force: true });
    },
  };
}

export function hasLeftRecords(folder: string): boolean {
  return leftNames(folder).length > 0;
}

export async function leftRecords(folder: string): Promise<readonly LeftRecord[]> {
  const records = leftNames(folder).map(async (name): Promise<LeftRecord | undefined> => {
    const record = await readRecord(join(folder, name));
    const id = name.slice(0, name.lastIndexOf("."));
    return record && { ...recordAt(folder, id), record, isConfirmed: name.endsWith(MADE) };
  });
  return (await Promise.all(records)).filter((one) => one !== undefined);
}

function leftNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(UNDER_WAY) || name.endsWith(MADE));
  } catch {
    // Nothing was ever recorded, or no folder can be read here.
    return [];
  }
}

/** A record is written as a whole, by this user alone. */
async function readRecord(path: string): Promise<ChangeRecord | undefined> {
  const found = await readOwnedFile(path, { mostBytes: MOST_BYTES, owners: "us" });
  return found?.text === undefined ? undefined : (JSON.parse(found.text) as ChangeRecord);
}
