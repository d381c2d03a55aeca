import type { Tool } from "../contract/tool.ts";

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
