import type { ServerDescription } from "./server-description.ts";

/** The MCP servers that are described. */
export interface DescribedServers {
  readonly names: readonly string[];
  /** The description of a server by its name; `undefined` if it has none. */
  named(name: string): ServerDescription | undefined;
  /** The name of the server that comes from `npm:NAME`, `pypi:NAME` and the like. */
  nameFrom(source: string): string | undefined;
}

/** Names by where servers come from, and descriptions as text, by name. */
interface Compiled {
  readonly sources: Readonly<Record<string, string>>;
  readonly servers: Readonly<Record<string, string>>;
}

/** Loads the descriptions of MCP servers. A program that meets no server does not need them. */
export async function loadServers(): Promise<DescribedServers> {
  const { default: compiled } = await import("./compiled-servers.json", { with: { type: "json" } });
  const { sources, servers } = compiled as Compiled;
  return {
    names: Object.keys(servers),
    named: (name) =>
      Object.hasOwn(servers, name) ? (JSON.parse(servers[name] ?? "{}") as ServerDescription) : undefined,
    nameFrom: (source) => (Object.hasOwn(sources, source) ? sources[source] : undefined),
  };
}
