import { homedir } from "node:os";
import {
  diagnosticText,
  type ReadSettings,
  readServerSettings,
  readServers,
  type ServerEntry,
} from "@toolkeep/mcp";
import { userServersFile, userSettingsFile } from "../project/accepted-servers.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";

export interface ChosenServers extends Pick<ReadSettings, "settings" | "maps"> {
  readonly servers: readonly ServerEntry[];
  /** For people. */
  readonly diagnostics: readonly string[];
}

/**
 * The servers of a project and those that the user named for the gateway. What other clients of the user are
 * configured with is left to them, unless it is named.
 * @throws CommandFault for a name that nobody configured, and for settings that cannot be understood.
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
    throw new CommandError(
      `The settings of servers cannot be understood, so none is started:\n${diagnostics.join("\n")}`,
    );
  }
  const servers =
    names === undefined
      ? read.servers.filter(({ isOfProject, file }) => isOfProject || file === own)
      : names.map((name) => serverCalled(name, read.servers));
  return { servers, settings, maps, diagnostics };
}

function serverCalled(name: string, servers: readonly ServerEntry[]): ServerEntry {
  const found = servers.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const known =
    servers.length === 0
      ? "None is configured here."
      : `Known are ${servers.map((one) => one.name).join(", ")}.`;
  throw new CommandError(`No server is called ${JSON.stringify(name)}.`, { exit: EXIT.usage, hint: known });
}
