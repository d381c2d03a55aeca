import type { OwnCommand } from "../../../clients/cleared-variables.ts";
import type { HookClientName, RemoteHook, RemoteToolCall } from "../../../clients/hook-call.ts";
import { CLIENTS, INSTALL_CLIENTS } from "../../../clients/install-client.ts";
import { InstallRecords } from "../../../clients/installed/install-record.ts";
import { managedLauncherPath } from "../../../clients/installed/managed-launcher.ts";
import { installedCommand, isOurEntry, localCommand } from "../../../clients/installed/own-command.ts";
import { type ConfiguredServer, commandText, nameInTools } from "./configured-servers.ts";

/**
 * The name of a server that a client reaches through our gateway: its configuration names exactly one matching server,
 * and every entry of that name is exactly what `install` writes. Neither a matching name nor similar arguments suffice.
 */
export async function nameBehindGateway(
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
export function matchingServers(
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
