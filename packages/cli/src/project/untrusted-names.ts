import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

const NAMES = ["toolkeep.jsonc", "toolkeep.json", ".mcp.json"];

/** What a project has that would be run or applied, by name alone: none of it is read before it is trusted. */
export async function untrustedNames(project: string): Promise<readonly string[]> {
  const entries = await readdir(join(project, ".toolkeep"), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  const names = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(project, join(entry.parentPath, entry.name)));
  return [...names.toSorted(), ...NAMES.filter((name) => existsSync(join(project, name)))];
}
