import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Grant } from "@toolkeep/core/ports";

const MOST_ENTRIES = 20_000;

type SearchGrant = Pick<Grant, "toolName" | "effects" | "leavesOut">;

/**
 * Why a call that reads a tree must ask: our own tools omit the files that the rules protect, and the client's tool
 * does not. `undefined` if the tree contains no such file. Follows no links.
 */
export async function omittedFileReason(
  grants: readonly SearchGrant[],
  mostEntries: number = MOST_ENTRIES,
): Promise<string | undefined> {
  for (const grant of grants) {
    if (grant.leavesOut === undefined) continue;
    for (const { target, partial } of grant.effects) {
      if (partial !== true) continue;
      const folder = target.replace(/\/\*\*$/, "") || "/";
      const reason = await reasonIn(folder, { grant, mostEntries });
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

interface Search {
  readonly grant: SearchGrant;
  readonly mostEntries: number;
}

async function reasonIn(folder: string, { grant, mostEntries }: Search): Promise<string | undefined> {
  const { leavesOut, toolName } = grant;
  const open = [folder];
  let seen = 0;
  for (const at of open) {
    const entries = await readdir(at, { withFileTypes: true }).catch(absentOr);
    if (entries === undefined)
      return `The directory ${at} cannot be read, so it may contain a file that the rules protect.`;
    seen += entries.length;
    if (seen > mostEntries)
      return `There are more than ${mostEntries} files in ${folder}, too many to check whether the rules protect one of them.`;
    for (const entry of entries) {
      const path = join(at, entry.name);
      if (leavesOut?.(path) === true) return `It would also read ${path}, which the rules protect.`;
      // `list` shows the names in one folder only.
      if (entry.isDirectory() && toolName !== "list") open.push(path);
    }
  }
  return undefined;
}

/** The client cannot read a folder either that does not exist or that the user may not open. */
function absentOr(error: unknown): [] | undefined {
  const { code = "" } = error as { readonly code?: string };
  return ["ENOENT", "ENOTDIR", "EACCES"].includes(code) ? [] : undefined;
}
