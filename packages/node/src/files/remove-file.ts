import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type RequirementSet, ToolFailure } from "@toolkeep/core";
import { fsDelete } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";
import { canonicalPath } from "./canonical-path.ts";
import { refuseIrregular } from "./opened-file.ts";
import { pinFolder } from "./pinned-folder.ts";

/**
 * Removes a file or an empty folder. Never a link (its target is what was resolved, and removing that is never meant),
 * and never a folder that the grant itself starts at.
 */
export async function removeFile(grant: Grant, path: string): Promise<void> {
  const real = await canonicalPath(path);
  grant.check(fsDelete(real));
  await refuseLink(path, real);
  if (real === "/" || isRoot(real, grant))
    throw new ToolFailure(
      "out_of_scope",
      `${JSON.stringify(real)} is a root of what may be used here: it stays.`,
    );
  using folder = pinFolder(dirname(real));
  const heldPath = folder.at(basename(real));
  const entry = lstatSync(heldPath, { bigint: true });
  if (entry.isDirectory()) return rmdirSync(heldPath);
  refuseIrregular(entry, real);
  unlinkSync(heldPath);
}

async function refuseLink(path: string, real: string): Promise<void> {
  const trimmed = path.replace(/(?<!\/)\/+$/, "");
  const own = `${await canonicalPath(dirname(trimmed))}/${basename(trimmed)}`.replace(/^\/\//, "/");
  if (lstatSync(own, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new ToolFailure("tool_failed", `${JSON.stringify(own)} is a link to ${JSON.stringify(real)}.`, {
    hint: "Name what should be removed by its own path.",
  });
}

/** Whether a pattern of the grant starts here: `/ws` for `/ws/**`. */
function isRoot(path: string, { requires, ceilings }: Grant): boolean {
  return [requires, ...ceilings].flatMap(patternsOf).some((pattern) => literalFolder(pattern) === path);
}

function patternsOf({ fs }: RequirementSet): readonly string[] {
  return [...(fs?.read ?? []), ...(fs?.write ?? [])];
}

function literalFolder(pattern: string): string | undefined {
  const wild = pattern.search(/[*?{]/);
  return wild === -1 ? undefined : pattern.slice(0, pattern.lastIndexOf("/", wild));
}
