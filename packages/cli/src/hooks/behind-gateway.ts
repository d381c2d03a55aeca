import { CLIENTS, INSTALL_CLIENTS, type OwnCommand } from "../install/install-client.ts";
import { InstallRecords } from "../install/install-record.ts";
import { isOurEntry, localCommand } from "../install/own-command.ts";
import { type ConfiguredServer, nameInTools, startedText } from "./configured-servers.ts";
import type { HookClientName, RemoteHook, RemoteToolCall } from "./hook-call.ts";

/**
 * Whether a client reaches this server through our gateway: its configuration names one server that can be meant, and
 * every entry of that name is exactly what `install` writes. A name alone proves nothing, nor do words that look
 * like ours beside others that change what they start.
 */
export async function isBehindGateway(
  { call, client, project }: RemoteHook,
  configured: readonly ConfiguredServer[] | undefined,
): Promise<boolean> {
  if (configured === undefined || call.url !== undefined) return false;
  const meant = meantServers(call, { configured, project });
  const [first] = meant;
  if (first === undefined || meant.some(({ name }) => name !== first.name)) return false;
  const said = call.command;
  if (said !== undefined && meant.some(({ entry }) => startedText(entry, project) !== said)) return false;
  const owns = await ownCommands(client, project);
  // Gemini CLI takes entries as Claude Code does.
  const writer = CLIENTS[client === "cursor" ? "cursor" : "claude-code"];
  return meant.every(({ name, entry }) => isOurEntry(entry, { client: writer, name, owns }));
}

/** The configured servers that a call may be of. Where no name is told, those that are started like that. */
export function meantServers(
  { directories, command }: RemoteToolCall,
  { configured, project }: { readonly configured: readonly ConfiguredServer[]; readonly project: string },
): readonly ConfiguredServer[] {
  return configured.filter(({ name, entry }) =>
    directories.some(({ server }) =>
      server === ""
        ? command !== undefined && startedText(entry, project) === command
        : nameInTools(name) === nameInTools(server),
    ),
  );
}

/** This very program, and what the user let `install` write for this project. */
async function ownCommands(client: HookClientName, project: string): Promise<readonly OwnCommand[]> {
  const installed = INSTALL_CLIENTS.find((name) => name === client);
  const record =
    installed === undefined
      ? undefined
      : await new InstallRecords(project).read(installed).catch(() => undefined);
  return record === undefined ? [localCommand()] : [localCommand(), record.own];
}
