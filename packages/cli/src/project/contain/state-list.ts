import { join } from "node:path";
import { containFolder, type StateFile } from "@toolkeep/node/internal";

/** A list about containment. */
export function containList<Item>(name: string, key: string): StateFile<readonly Item[]> {
  const parse = (written: unknown) => (Array.isArray(written) ? written : []);
  // Commands pass through the folder.
  return { file: join(containFolder(), name), key, folderMode: 0o711, parse };
}
