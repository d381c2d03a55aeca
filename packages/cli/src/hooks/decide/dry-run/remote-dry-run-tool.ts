import { homedir } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { defineTool, type Tool } from "@toolkeep/core";
import type { Origin } from "@toolkeep/core/internal";
import {
  type MappedTool,
  mapFor,
  prefixedName,
  readServerSettings,
  readServers,
  type ServerEntry,
  serverToolGovernance,
  settingsFor,
  type ToolAddress,
} from "@toolkeep/mcp/internal";
import {
  DELEGATED,
  type HookClientName,
  type RemoteHook,
  type RemoteTool,
  type RemoteToolCall,
} from "../../../clients/hook-call.ts";
import type { OwnCommand } from "../../../clients/hook-line.ts";
import { CLIENTS, INSTALL_CLIENTS } from "../../../clients/install-client.ts";
import { InstallRecords } from "../../../clients/installed/install-record.ts";
import { managedLauncherPath } from "../../../clients/installed/managed-launcher.ts";
import { installedCommand, isOurEntry, localCommand } from "../../../clients/installed/own-command.ts";
import { managedSettingsFile, userSettingsFile } from "../../../project/user-files.ts";
import { serverRefusal } from "../../../tools/servers/managed-servers.ts";
import {
  type ConfiguredServer,
  commandText,
  configurationFiles,
  configuredServers,
  nameInTools,
} from "./configured-servers.ts";

export interface RemoteDryRunTool {
  readonly tool: Tool;
  readonly origin: Origin;
}

/**
 * Dry-run tools for every server's tool that a call may belong to, with the effects that the gateway would resolve.
 * `behind`: the name under which the client reaches the server through the gateway, which decides itself.
 */
export async function remoteDryRunTools(
  hook: RemoteHook,
): Promise<readonly RemoteDryRunTool[] | { readonly behind: string } | { readonly refused: string }> {
  const { call, client, project, environment, servers, isMoved = false } = hook;
  const configured = await configuredServers(client, project, environment);
  const behind = isMoved ? undefined : await nameBehindGateway(hook, configured);
  if (behind !== undefined) return { behind };
  const matching = matchingServers(call, { configured: configured ?? [], project });
  const entries = await matchingEntries(hook, matching);
  const refused = servers === undefined ? undefined : refusalOf({ matching, entries }, servers);
  if (refused !== undefined) return { refused };
  return Promise.all(
    likelyTools(call.candidates, matching).map(async ({ server, tool }) => {
      const entry = entries.find(({ name }) => nameInTools(name) === nameInTools(server));
      const found = entry === undefined ? undefined : await foundTool(entry, { tool, project });
      const layer = entry?.isOfProject === false ? "user" : "project";
      return {
        origin: { layer, source: "mcp", id: server },
        tool: dryRunTool({ server, tool }, found),
      } as const;
    }),
  );
}

/** Where an administrator lists the servers: every server that the call may belong to must be one of them. */
function refusalOf(
  {
    matching,
    entries,
  }: { readonly matching: readonly ConfiguredServer[]; readonly entries: readonly ServerEntry[] },
  servers: NonNullable<RemoteHook["servers"]>,
): string | undefined {
  const isKnown =
    matching.length > 0 && matching.every(({ name }) => entries.some((one) => one.name === name));
  if (!isKnown)
    return "Your administrator lists the servers that may be used, and it is not known what this one starts.";
  const refusal = entries.map((entry) => serverRefusal(servers, entry)).find((one) => one !== undefined);
  return refusal === undefined ? undefined : `The server may not be used: ${refusal}`;
}

/** The only candidate whose server is configured; otherwise all of them. */
function likelyTools(
  candidates: readonly RemoteTool[],
  matching: readonly ConfiguredServer[],
): readonly RemoteTool[] {
  const names = [...new Set(matching.map(({ name }) => nameInTools(name)))];
  const [only] = names;
  const configured = candidates.filter(({ server }) => names.includes(nameInTools(server)));
  if (configured.length === 1) return configured;
  return candidates.map(({ server, tool }) => ({
    server: server !== "" ? server : names.length === 1 && only !== undefined ? only : "unnamed",
    tool,
  }));
}

/**
 * The server entries of the client's own configuration that are the same in all of its files and have the command or
 * URL that the client sent. Another client's server of the same name may be a different server.
 */
async function matchingEntries(
  { call, client, project, environment }: RemoteHook,
  matching: readonly ConfiguredServer[],
): Promise<readonly ServerEntry[]> {
  const files = configurationFiles(client, project, environment);
  // `readServers` returns the first server of each name, so the files of other clients come last.
  const read = await Promise.all([
    readServers({ project, files }),
    readServers({ project, home: homedir() }),
  ]);
  return read
    .flatMap(({ servers }) => servers)
    .filter((entry) => {
      if (entry.file === undefined || !files.includes(entry.file)) return false;
      const [first, ...others] = matching.filter(({ name }) => nameInTools(name) === nameInTools(entry.name));
      if (first === undefined || others.some((one) => !isDeepStrictEqual(one, first))) return false;
      const isSent = call.command !== undefined || call.url !== undefined;
      // Claude Code sends only names.
      if (!isSent) return client === "claude-code";
      const command = entry.kind === "stdio" ? commandText(entry, project) : undefined;
      const url = entry.kind === "http" ? entry.url : undefined;
      return call.command === command && call.url === url;
    });
}

/** What is known of a server's tool. */
export interface FoundTool {
  /** What it does, according to an effect map. */
  readonly mapped: MappedTool | undefined;
  readonly files: readonly string[];
  /** Whether the settings say that its results are private. */
  readonly isPrivate: boolean;
}

async function foundTool(
  entry: ServerEntry,
  { tool, project }: { readonly tool: string; readonly project: string },
): Promise<FoundTool> {
  const read = await readServerSettings({
    ...{ project, user: userSettingsFile(), managed: managedSettingsFile() },
  });
  const settings = settingsFor(entry, read.settings);
  // What a user breaks takes no effect map away where an administrator has rules about effects.
  const isUnknown = read.isBroken && !read.isMandated;
  const map = isUnknown ? undefined : await mapFor({ entry, settings, maps: read.maps });
  const mapped = map !== undefined && Object.hasOwn(map.tools, tool) ? map.tools[tool] : undefined;
  return { mapped, files: settings.files ?? [], isPrivate: settings.isPrivate === true };
}

export function dryRunTool(address: ToolAddress, found: FoundTool | undefined): Tool {
  return defineTool({
    ...serverToolGovernance(address, found?.mapped, found?.files),
    ...(found?.isPrivate === true ? { labels: ["private"] as const } : {}),
    name: prefixedName(address),
    description: "A dry run of a tool of a server that the client calls.",
    inputSchema: { type: "object" },
    execute: () => DELEGATED,
  }) as Tool;
}

/**
 * The name of a server that a client reaches through our gateway: its configuration names exactly one matching server,
 * and every entry of that name is exactly what `install` writes. Neither a matching name nor similar arguments suffice.
 */
async function nameBehindGateway(
  { call, client, project }: RemoteHook,
  configured: readonly ConfiguredServer[] | undefined,
): Promise<string | undefined> {
  if (configured === undefined || call.url !== undefined || call.isUnconfigured === true) return undefined;
  const matching = matchingServers(call, { configured, project });
  const [first] = matching;
  if (first === undefined || matching.some(({ name }) => name !== first.name)) return undefined;
  const { command } = call;
  if (command !== undefined && matching.some(({ entry }) => commandText(entry, project) !== command))
    return undefined;
  const owns = await ownCommands(client, project);
  // Gemini CLI has the same format as Claude Code.
  const writer = CLIENTS[client === "cursor" ? "cursor" : "claude-code"];
  const isOurs = matching.every(({ name, entry }) => isOurEntry(entry, { client: writer, name, owns }));
  return isOurs ? first.name : undefined;
}

/** The configured servers that a call may belong to. Without a name, those with the same command line. */
function matchingServers(
  { candidates, command }: RemoteToolCall,
  { configured, project }: { readonly configured: readonly ConfiguredServer[]; readonly project: string },
): readonly ConfiguredServer[] {
  return configured.filter(({ name, entry }) =>
    candidates.some(({ server }) =>
      server === ""
        ? command !== undefined && commandText(entry, project) === command
        : nameInTools(name) === nameInTools(server),
    ),
  );
}

/** This program, and the command that `install` wrote for this project. */
async function ownCommands(client: HookClientName, project: string): Promise<readonly OwnCommand[]> {
  const installed = INSTALL_CLIENTS.find((name) => name === client);
  const record =
    installed === undefined
      ? undefined
      : await new InstallRecords(project).read(installed).catch(() => undefined);
  const owns: OwnCommand[] = [installedCommand(), localCommand(), [managedLauncherPath()]];
  return record === undefined ? owns : [...owns, record.own];
}
