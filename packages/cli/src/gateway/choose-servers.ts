import { homedir } from "node:os";
import {
  diagnosticText,
  type ReadSettings,
  readServerSettings,
  readServers,
  type ServerEntry,
} from "@toolkeep/mcp/internal";
import { userServersFile, userSettingsFile } from "../project/user-files.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";

export interface ChosenServers extends Pick<ReadSettings, "settings" | "maps"> {
  readonly servers: readonly ServerEntry[];
  /** Warnings about the configuration files, for people. */
  readonly diagnostics: readonly string[];
}

/**
 * The servers of a project and those that the user adds to every gateway. Servers of the user's other clients are
 * only included by name.
 * @throws CommandError for a name that is not configured, and for invalid settings.
 */
export async function chooseServers(project: string, names?: readonly string[]): Promise<ChosenServers> {
  const own = userServersFile();
  const read = await readServers({ project, home: homedir(), files: [own] });
  const {
    settings,
    maps,
    isBroken,
    diagnostics: inSettings,
  } = await readServerSettings({
    project,
    user: userSettingsFile(),
  });
  const diagnostics = [...read.diagnostics, ...inSettings].map(diagnosticText);
  if (isBroken) {
    throw new CommandError(`Invalid server settings: no server is started.\n${diagnostics.join("\n")}`);
  }
  const servers =
    names === undefined
      ? read.servers.filter(({ isOfProject, file }) => isOfProject || file === own)
      : names.map((name) => serverCalled(name, read.servers));
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

export function needsSandbox({ servers, settings }: ChosenServers): boolean {
  return servers.some(({ name }) => settings[name]?.sandbox !== undefined);
}

function serverCalled(name: string, servers: readonly ServerEntry[]): ServerEntry {
  const found = servers.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const hint =
    servers.length === 0
      ? "No servers are configured here."
      : `Configured servers: ${servers.map((one) => one.name).join(", ")}.`;
  throw new CommandError(`No server has the name ${JSON.stringify(name)}.`, { exit: EXIT.usage, hint });
}
