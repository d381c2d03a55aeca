import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { isRecord, unlessThrown } from "@toolkeep/core/internal";
import { readOwnedFile } from "./read-owned-file.ts";
import { withFileLock } from "./with-file-lock.ts";
import { writeOwnedFile } from "./write-owned-file.ts";

const MOST_BYTES = 4_000_000;

/** A value that is the user's own, in a file of the state folder: no file of a project can change it. */
export interface StateFile<Value> {
  readonly file: string;
  /** Its name in the file. */
  readonly key: string;
  /** The mode of the folder, if it has to be made. Default: `0o700`. */
  readonly folderMode?: number;
  /** What was written; `undefined` without a file, `null` for one that is invalid or that others may write. */
  parse(written: unknown): Value;
}

export async function readState<Value>({ file, key, parse }: StateFile<Value>): Promise<Value> {
  const found = await readOwnedFile(file, { mostBytes: MOST_BYTES, owners: "us" });
  if (found === undefined) return parse(undefined);
  const kept: unknown = unlessThrown(() => JSON.parse(found.text ?? ""));
  return parse(isRecord(kept) && kept["version"] === 1 ? (kept[key] ?? null) : null);
}

/** Durable when it returns. Writes nothing, and returns `false`, where `changed` gives `undefined`. */
export async function changeState<Value>(
  state: StateFile<Value>,
  changed: (value: Value) => Value | undefined,
): Promise<boolean> {
  const { file, key, folderMode = 0o700 } = state;
  await mkdir(dirname(file), { recursive: true, mode: folderMode });
  return withFileLock(`${file}.lock`, async () => {
    const value = changed(await readState(state));
    if (value === undefined) return false;
    await writeOwnedFile(file, `${JSON.stringify({ version: 1, [key]: value }, undefined, 2)}\n`);
    return true;
  });
}
