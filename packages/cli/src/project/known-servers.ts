import { join } from "node:path";
import { fileKnownServers, type KnownServers } from "@toolkeep/mcp";
import { places } from "@toolkeep/node";

/** The servers that this user has accepted, in all projects. */
export function knownServers(): KnownServers {
  return fileKnownServers(join(places().state, "known-servers.json"));
}

/** Where programs that no project names get an empty folder to start in. Nobody else can write there. */
export function startFolders(): string {
  return join(places().state, "servers");
}

/** Where the user says how servers are to be treated. */
export function userSettingsFile(): string {
  return join(places().config, "mcp.jsonc");
}

/** Where the user names servers of all projects for the gateway. */
export function userServersFile(): string {
  return join(places().config, "mcp.json");
}
