import { opendir } from "node:fs/promises";
import { join } from "node:path";
import type { FoundBeneath } from "@toolkeep/core/ports";

const MOST_ENTRIES = 50_000;
/** Each of these is evaluated against each rule. */
const MOST_FOUND = 200;

/** Looks for entries beneath a folder, folders among them. Follows no link. */
export async function findBeneath(
  folder: string,
  isWanted?: (path: string) => boolean,
  mostEntries: number = MOST_ENTRIES,
): Promise<FoundBeneath> {
  const found: string[] = [];
  const open = [folder];
  let seen = 0;
  try {
    for (const at of open) {
      for await (const entry of await opendir(at)) {
        if (isWanted === undefined) return [];
        const path = join(at, entry.name);
        seen += 1;
        if (isWanted(path)) found.push(path);
        if (seen > mostEntries || found.length > MOST_FOUND) return "unknown";
        if (entry.isDirectory()) open.push(path);
      }
    }
  } catch (error) {
    const { code = "" } = error as { readonly code?: string };
    return open.length === 1 && ["ENOENT", "ENOTDIR"].includes(code) ? "no folder" : "unknown";
  }
  return found;
}
