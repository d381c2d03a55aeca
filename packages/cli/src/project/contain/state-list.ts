import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { readOwnedFile, withFileLock, writeOwnedFile } from "@toolkeep/node/internal";

const MOST_BYTES = 4_000_000;

/** A list that is the user's own, in the state folder: no file of a project can change it. */
export interface StateList {
  readonly file: string;
  /** Its name in the file. */
  readonly key: string;
}

/** A file that others may write says nothing. */
export async function listed<Item>({ file, key }: StateList): Promise<readonly Item[]> {
  const found = await readOwnedFile(file, { mostBytes: MOST_BYTES, owners: "us" });
  if (found === undefined || found.error !== undefined) return [];
  try {
    const { version, [key]: items } = JSON.parse(found.text) as Record<string, unknown>;
    return version === 1 && Array.isArray(items) ? items : [];
  } catch {
    return [];
  }
}

/** Durable when it returns. */
export async function changeList<Item>(
  list: StateList,
  changed: (items: readonly Item[]) => readonly Item[],
): Promise<void> {
  const { file, key } = list;
  await mkdir(dirname(file), { recursive: true, mode: 0o711 });
  await withFileLock(`${file}.lock`, async () => {
    const items = changed(await listed(list));
    await writeOwnedFile(file, `${JSON.stringify({ version: 1, [key]: items }, undefined, 2)}\n`);
  });
}
