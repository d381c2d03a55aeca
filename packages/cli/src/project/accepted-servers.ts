import { join } from "node:path";
import { type AcceptedServers, fileAcceptedServers } from "@toolkeep/mcp";
import { directories } from "@toolkeep/node/internal";

/** The servers that this user has accepted, in all projects. */
export function acceptedServers(): AcceptedServers {
  return fileAcceptedServers(join(directories().state, "accepted-servers.json"));
}

/** Where programs that no project names get an empty folder to start in. Nobody else can write there. */
export function startFolders(): string {
  return join(directories().state, "servers");
}

/** Where the user says how servers are to be treated. */
export function userSettingsFile(): string {
  return join(directories().config, "mcp.jsonc");
}

/** Where the user names servers of all projects for the gateway. */
export function userServersFile(): string {
  return join(directories().config, "mcp.json");
}
