import { homedir } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { defineTool, type Tool } from "@toolkeep/core";
import type { Origin } from "@toolkeep/core/internal";
import {
  effectsOf,
  type MappedTool,
  mapFor,
  prefixedName,
  readServerSettings,
  readServers,
  requirementsOf,
  type ServerEntry,
  settingsFor,
  type ToolAddress,
} from "@toolkeep/mcp";
import { userSettingsFile } from "../project/accepted-servers.ts";
import { isBehindGateway, meantServers } from "./behind-gateway.ts";
import {
  type ConfiguredServer,
  configurationFiles,
  configuredServers,
  nameInTools,
  startedText,
} from "./configured-servers.ts";
import type { RemoteHook, RemotePlace } from "./hook-call.ts";

export interface RemoteDryRunTool {
  readonly tool: Tool;
  readonly origin: Origin;
}

/**
 * Stands in for a server's tool with the effects that the gateway would foresee; for every one that may be meant.
 * `ours`: the client reaches the server through the gateway, which decides by itself.
 */
export async function remoteDryRunTools(hook: RemoteHook): Promise<readonly RemoteDryRunTool[] | "ours"> {
  const { call, client, project } = hook;
  const configured = await configuredServers(client, project);
  if (await isBehindGateway(hook, configured)) return "ours";
  const meant = meantServers(call, { configured: configured ?? [], project });
  const entries = await knownEntries(hook, meant);
  return Promise.all(
    likelyPlaces(call.directories, meant).map(async ({ server, tool }) => {
      const entry = entries.find(({ name }) => nameInTools(name) === nameInTools(server));
      const mapped = entry === undefined ? undefined : await mappedTool(entry, { tool, project });
      const layer = entry?.isOfProject === false ? "user" : "project";
      return {
        origin: { layer, source: "mcp", id: server },
        tool: dryRunTool({ server, tool }, mapped),
      } as const;
    }),
  );
}

/** One alone where the configuration knows no other; all of them else. */
function likelyPlaces(
  directories: readonly RemotePlace[],
  meant: readonly ConfiguredServer[],
): readonly RemotePlace[] {
  const names = [...new Set(meant.map(({ name }) => nameInTools(name)))];
  const [only] = names;
  const known = directories.filter(({ server }) => names.includes(nameInTools(server)));
  if (known.length === 1) return known;
  return directories.map(({ server, tool }) => ({
    server: server !== "" ? server : names.length === 1 && only !== undefined ? only : "unnamed",
    tool,
  }));
}

/**
 * The entries that say what a server is: of the client's own configuration, the same wherever it is named, and
 * started or reached as the client says. Another client's server of the same name says nothing of this one.
 */
async function knownEntries(
  { call, client, project }: RemoteHook,
  meant: readonly ConfiguredServer[],
): Promise<readonly ServerEntry[]> {
  const files = configurationFiles(client, project);
  // Of two servers of one name only the first is given, so those of other clients come last.
  const read = await Promise.all([
    readServers({ project, files }),
    readServers({ project, home: homedir() }),
  ]);
  return read
    .flatMap(({ servers }) => servers)
    .filter((entry) => {
      if (entry.file === undefined || !files.includes(entry.file)) return false;
      const [first, ...others] = meant.filter(({ name }) => nameInTools(name) === nameInTools(entry.name));
      if (first === undefined || others.some((one) => !isDeepStrictEqual(one, first))) return false;
      const isSaid = call.command !== undefined || call.url !== undefined;
      // Claude Code tells no more than names.
      if (!isSaid) return client === "claude-code";
      const started = entry.kind === "stdio" ? startedText(entry, project) : undefined;
      const reached = entry.kind === "http" ? entry.url : undefined;
      return call.command === started && call.url === reached;
    });
}

interface MappedDryRunTool {
  readonly mapped: MappedTool;
  readonly files: readonly string[];
}

async function mappedTool(
  entry: ServerEntry,
  { tool, project }: { readonly tool: string; readonly project: string },
): Promise<MappedDryRunTool | undefined> {
  const read = await readServerSettings({ project, user: userSettingsFile() });
  const settings = settingsFor(entry, read.settings);
  const map = read.isBroken ? undefined : mapFor({ entry, settings, maps: read.maps });
  const mapped = map !== undefined && Object.hasOwn(map.tools, tool) ? map.tools[tool] : undefined;
  return mapped === undefined ? undefined : { mapped, files: settings.files ?? [] };
}

function dryRunTool({ server, tool }: ToolAddress, found: MappedDryRunTool | undefined): Tool {
  const address = `${server}:${tool}`;
  const base = {
    name: prefixedName({ server, tool }),
    description: "Stands in for a tool of a server that the client talks to.",
    inputSchema: { type: "object" },
    gated: true,
    remote: { serverId: server, tool },
    deriveApprovalKey: () => address,
    execute: () => "Left to the client.",
  } as const;
  const call = { capability: "mcp.call", target: address };
  if (found === undefined) {
    const requires = { capabilities: ["mcp.call"] };
    return defineTool({ ...base, mode: "external", requires, effects: () => [call] }) as Tool;
  }
  const requires = requirementsOf(found.mapped, found.files);
  return defineTool({
    ...base,
    mode: found.mapped.mode,
    requires: { ...requires, capabilities: [...(requires.capabilities ?? []), "mcp.call"] },
    effects(args) {
      const said = effectsOf(found.mapped, args).map((one) => ({ ...one, known: "inferred" as const }));
      return said.length === 0 ? [call] : [...said, { ...call, implied: true as const }];
    },
  }) as Tool;
}
