import { homedir } from "node:os";
import {
  diagnosticText,
  type ReadSettings,
  readServerSettings,
  readServers,
  type ServerEntry,
  serverFingerprint,
} from "@toolkeep/mcp/internal";
import {
  acceptedServers,
  managedSettingsFile,
  userServersFile,
  userSettingsFile,
} from "../../project/user-files.ts";
import { CommandError, usageError } from "../../terminal/command-error.ts";
import { managedEntry } from "./managed-servers.ts";

export interface ChosenServers extends Pick<ReadSettings, "settings" | "maps"> {
  readonly servers: readonly ServerEntry[];
  /** Warnings about the configuration files, for people. */
  readonly diagnostics: readonly string[];
}

/** Which of two servers of one name is meant: the project's if it is accepted, or in any case. */
type Preference = "accepted" | "project";

/**
 * The servers of a project and those that the user adds to every gateway. Servers of the user's clients are only
 * included by name, and only if the user has not accepted the project's server of that name: otherwise a server of one
 * client would switch off the accepted one of another.
 * @throws CommandError for a name that is not configured, and for invalid settings.
 */
export async function chooseServers(
  project: string,
  names?: readonly string[],
  prefers: Preference = "accepted",
): Promise<ChosenServers> {
  const own = userServersFile();
  const read = await readServers({ project, files: [own] });
  const all = await readServers({ project, home: homedir(), files: [own] });
  const ofClients = all.servers.filter(({ isOfProject }) => !isOfProject);
  const known = { project, own: read.servers, ofClients, prefers };
  const {
    settings,
    maps,
    isBroken,
    diagnostics: inSettings,
  } = await readServerSettings({
    project,
    user: userSettingsFile(),
    managed: managedSettingsFile(),
  });
  const servers =
    names === undefined ? read.servers : await Promise.all(names.map((name) => serverCalled(name, known)));
  const diagnostics = [
    ...[...read.diagnostics, ...inSettings].map(diagnosticText),
    ...sameNames(servers, ofClients),
  ];
  if (isBroken) {
    throw new CommandError(`Invalid server settings: no server is started.\n${diagnostics.join("\n")}`);
  }
  return { servers, settings, maps, diagnostics };
}

/** One server by its name. @throws CommandError as `chooseServers` does. */
export async function chooseServer(
  project: string,
  name: string,
): Promise<{ readonly entry: ServerEntry; readonly chosen: ChosenServers }> {
  const chosen = await chooseServers(project, [name]);
  const [entry] = chosen.servers;
  if (entry === undefined) throw new CommandError(`The server ${name} is no longer configured.`);
  return { entry, chosen };
}

/** Whether the user has accepted exactly this server. The user's own need no acceptance. */
async function isAccepted(entry: ServerEntry, project: string): Promise<boolean> {
  if (!entry.isOfProject) return true;
  return (await acceptedServers().get(project, entry.name))?.fingerprint === serverFingerprint(entry);
}

export function needsSandbox({ servers, settings }: ChosenServers): boolean {
  return servers.some(({ name }) => settings[name]?.sandbox !== undefined);
}

/** Rules name a server by its name only. */
function sameNames(servers: readonly ServerEntry[], ofClients: readonly ServerEntry[]): readonly string[] {
  return servers.flatMap((entry) => {
    const other = ofClients.find(({ name }) => name === entry.name);
    if (other === undefined || serverFingerprint(other) === serverFingerprint(entry)) return [];
    return [
      `${other.file} has another server with the name ${entry.name}. Rules for mcp:${entry.name}:… apply to both.`,
    ];
  });
}

interface ServerChoices {
  readonly project: string;
  /** Of the project, and of the user for every gateway. */
  readonly own: readonly ServerEntry[];
  readonly ofClients: readonly ServerEntry[];
  readonly prefers: Preference;
}

async function serverCalled(
  name: string,
  { project, own, ofClients, prefers }: ServerChoices,
): Promise<ServerEntry> {
  const named = (entry: ServerEntry) => entry.name === name;
  const first = own.find(named);
  const other = ofClients.find(named);
  const isFirst = prefers === "project" || other === undefined;
  if (first !== undefined && (isFirst || (await isAccepted(first, project)))) return first;
  const managed = other ?? (await managedEntry(project, name));
  if (managed !== undefined) return managed;
  const servers = [...own, ...ofClients];
  const hint =
    servers.length === 0
      ? "No servers are configured here."
      : `Configured servers: ${servers.map((one) => one.name).join(", ")}.`;
  throw usageError(`No server has the name ${JSON.stringify(name)}.`, hint);
}
