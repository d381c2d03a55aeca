import type { RegisteredTool, Tool } from "../contract/tool/tool.ts";

/** The other names under which models and older configurations know a remote tool. For look-up alone. */
export function aliasesOf(tool: Tool): readonly string[] {
  if (tool.remote === undefined) return [];
  const { serverId, tool: remoteName } = tool.remote;
  const server = sanitize(serverId);
  return [
    `mcp:${serverId}:${remoteName}`,
    `mcp_${server}_${sanitize(remoteName)}`,
    `${server}__${sanitize(remoteName)}`,
  ];
}

/** As providers want names: anything else becomes an underscore. */
export function sanitize(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}

/** The names that are locked, and who only looks like one of them. */
export class LockedNames {
  readonly #names = new Map<string, string>();

  add(name: string): void {
    this.#names.set(folded(name), name);
  }

  delete(name: string): void {
    if (this.#names.get(folded(name)) === name) this.#names.delete(folded(name));
  }

  /** The locked name that people and models would take this one for; `undefined` for itself and all others. */
  imitatedBy(name: string): string | undefined {
    if (this.#names.size === 0) return undefined;
    const locked = this.#names.get(folded(name));
    return locked === name ? undefined : locked;
  }
}

/** The name without what a reader overlooks: case and separators. */
function folded(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[-_.\s]/g, "");
}

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

/** Whether a list of allowed tools has this name. */
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
