import { homedir } from "node:os";
import { defineTool, type Origin, type Tool } from "@toolkeep/core";
import {
  effectsOf,
  type MappedTool,
  mapFor,
  prefixedName,
  readServerSettings,
  readServers,
  requirementsOf,
  type ServerEntry,
} from "@toolkeep/mcp";
import { userServersFile, userSettingsFile } from "../project/known-servers.ts";
import { isBehindGateway } from "./behind-gateway.ts";
import type { HookClientName, RemoteToolCall } from "./hook-call.ts";

export interface RemoteStandIn {
  readonly tool: Tool;
  readonly origin: Origin;
}

/**
 * Stands in for a server's tool with the effects that the gateway would foresee. `ours`: the client reaches the
 * server through the gateway, which decides by itself.
 */
export async function remoteStandIn(
  call: RemoteToolCall,
  client: HookClientName,
  project: string,
): Promise<RemoteStandIn | "ours"> {
  if (await isBehindGateway(call, client, project)) return "ours";
  const { servers } = await readServers({ project, home: homedir(), files: [userServersFile()] });
  const entry = servers.find(({ name }) => name === call.server);
  const mapped = entry === undefined ? undefined : await mappedTool(call, entry, project);
  const server = call.server === "" ? "unnamed" : call.server;
  const layer = entry?.isOfProject === false ? "user" : "project";
  return { origin: { layer, source: "mcp", id: server }, tool: standIn(call, server, mapped) };
}

interface MappedStandIn {
  readonly mapped: MappedTool;
  readonly files: readonly string[];
}

async function mappedTool(
  { tool }: RemoteToolCall,
  entry: ServerEntry,
  project: string,
): Promise<MappedStandIn | undefined> {
  const read = await readServerSettings({ project, user: userSettingsFile() });
  const settings = read.settings[entry.name] ?? {};
  const map = read.isBroken ? undefined : mapFor({ entry, settings, maps: read.maps });
  const mapped = map !== undefined && Object.hasOwn(map.tools, tool) ? map.tools[tool] : undefined;
  return mapped === undefined ? undefined : { mapped, files: settings.files ?? [] };
}

function standIn({ tool }: RemoteToolCall, server: string, found: MappedStandIn | undefined): Tool {
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
