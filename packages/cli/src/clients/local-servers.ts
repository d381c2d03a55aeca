import { statSync } from "node:fs";
import { join } from "node:path";

/**
 * Whether Claude Code reads the user's servers for a project under the path of this folder. In a linked worktree it
 * reads them under the path of the main one, and with its own configuration folder in another file.
 */
export function usesLocalServers(
  project: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const own = environment["CLAUDE_CONFIG_DIR"];
  return (own === undefined || own === "") && isFile(join(project, ".git", "HEAD"));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
