import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Grant } from "@toolkeep/core/ports";

const MOST_ENTRIES = 20_000;

type SearchGrant = Pick<Grant, "toolName" | "effects" | "leavesOut">;

/**
 * Why a person must be asked about a tree that another program reads: our own hands would pass over what the rules
 * leave out of it, and that program does not. `undefined` where nothing of that kind is there. Follows no link.
 */
export async function leftOutReason(
  grants: readonly SearchGrant[],
  mostEntries: number = MOST_ENTRIES,
): Promise<string | undefined> {
  for (const grant of grants) {
    if (grant.leavesOut === undefined) continue;
    for (const { target, partial } of grant.effects) {
      if (partial !== true) continue;
      const folder = target.replace(/\/\*\*$/, "") || "/";
      const reason = await reasonBeneath(folder, { grant, mostEntries });
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

interface Look {
  readonly grant: SearchGrant;
  readonly mostEntries: number;
}

async function reasonBeneath(folder: string, { grant, mostEntries }: Look): Promise<string | undefined> {
  const { leavesOut, toolName } = grant;
  const open = [folder];
  let seen = 0;
  for (const at of open) {
    const entries = await readdir(at, { withFileTypes: true }).catch(absentOr);
    if (entries === undefined)
      return `What is in ${at} cannot be looked at, so a file may be there that the rules protect.`;
    seen += entries.length;
    if (seen > mostEntries)
      return `There are more than ${mostEntries} files beneath ${folder}, too many to look whether the rules protect one of them.`;
    for (const entry of entries) {
      const path = join(at, entry.name);
      if (leavesOut?.(path) === true) return `It would also read ${path}, which the rules protect.`;
      // A list shows the names in one folder alone.
      if (entry.isDirectory() && toolName !== "list") open.push(path);
    }
  }
  return undefined;
}

/** A folder that is not there, or that nobody here may open, shows nothing to the client either. */
function absentOr(error: unknown): [] | undefined {
  const { code = "" } = error as { readonly code?: string };
  return ["ENOENT", "ENOTDIR", "EACCES"].includes(code) ? [] : undefined;
}
