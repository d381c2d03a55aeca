import type { RegisteredTool } from "../contract/call.ts";
import { sanitize } from "./aliases.ts";

const BOUNDARY = /^[_.:-]/;

/**
 * The registered names that a list of allowed tools means: the name itself, names that begin with
 * it at a word border (`git` → `git_status`), and the tools of a server (`browser` →
 * `mcp_browser_navigate`). No list: all of them.
 */
export function expandAllowed(
  allowed: readonly string[] | undefined,
  names: readonly string[],
): readonly string[] {
  if (allowed === undefined) return names;
  return names.filter((name) => matchesAllowList(name, allowed));
}

export function matchesAllowList(name: string, allowed: readonly string[]): boolean {
  return allowed.some((entry) => matchesEntry(name, entry));
}

function matchesEntry(name: string, entry: string): boolean {
  if (entry === "") return false;
  if (entry === "*" || name === entry) return true;
  if (entry.endsWith("*")) return name.startsWith(entry.slice(0, -1));
  const server = sanitize(entry);
  return [entry, server, `mcp_${server}`].some(
    (prefix) => name.startsWith(prefix) && BOUNDARY.test(name.slice(prefix.length)),
  );
}

/** The tools that a model may see: those that a list of allowed tools means; without a list, all of them. */
export function visibleTools(
  tools: readonly RegisteredTool[],
  allowed?: readonly string[],
): readonly RegisteredTool[] {
  const names = new Set(
    expandAllowed(
      allowed,
      tools.map((tool) => tool.name),
    ),
  );
  return tools.filter((tool) => names.has(tool.name));
}
