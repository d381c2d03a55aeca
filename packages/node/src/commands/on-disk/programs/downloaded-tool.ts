import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Effect } from "@toolkeep/core";
import { bareName, isWithin } from "@toolkeep/core/internal";
import type { Look } from "./foreign-code.ts";

/** What `npx TOOL` runs if the project has no such tool: the package of that name, from any publisher. */
export function downloadedTool(argv: readonly string[], look: Look): readonly Effect[] {
  const [name = "", ...args] = argv;
  if (bareName(name) !== "npx" || args.some((arg) => arg === "--no" || arg === "--no-install")) return [];
  const tool = args.find((arg) => !arg.startsWith("-"));
  if (tool === undefined || isInstalled(tool, look)) return [];
  const note = `${JSON.stringify(tool)} is not installed in the project, so npx downloads a package and runs it.`;
  return [{ capability: "package.install", target: tool, known: "inferred", note }];
}

/** As npx looks for it: in each folder from here up to the root. */
function isInstalled(tool: string, { folder, roots }: Look): boolean {
  if (!PLAIN_NAME.test(tool)) return false;
  for (let at = folder; roots.some((root) => isWithin(at, root)); at = dirname(at)) {
    if (existsSync(join(at, "node_modules", ".bin", tool))) return true;
    if (at === dirname(at)) break;
  }
  return false;
}

/** A version or an address names a package that may not be the installed one. */
const PLAIN_NAME = /^[\w.-]+$/;
