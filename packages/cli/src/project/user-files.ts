import { dirname, join } from "node:path";
import { fileAcceptedServers, fileTokenStore } from "@toolkeep/mcp";
import { type AcceptedServers, acceptedNames, type TokenStore } from "@toolkeep/mcp/internal";
import { directories } from "@toolkeep/node/internal";

/** The servers that this user has accepted, in all projects. */
export function acceptedServers(): AcceptedServers {
  return fileAcceptedServers(acceptedFile());
}

/** The names of the servers of a project that this user has accepted. Nothing of the project is read. */
export function acceptedIn(project: string): Promise<readonly string[]> {
  return acceptedNames(acceptedFile(), project);
}

function acceptedFile(): string {
  return join(directories().state, "accepted-servers.json");
}

/** The logins of this user, by the URL of the server. A reader of the file can act as the user. */
export function logins(): TokenStore {
  return fileTokenStore(join(directories().state, "logins.json"));
}

/** Holds an empty working directory for each server that does not belong to a project. Only the user can write there. */
export function startFolders(): string {
  return join(directories().state, "servers");
}

/** The user's settings for servers. */
export function userSettingsFile(): string {
  return join(directories().config, "mcp.jsonc");
}

/** The administrator's settings for servers, which override the user's. */
export function managedSettingsFile(): string {
  return join(dirname(directories().managedConfig), "mcp.jsonc");
}

/** The servers that the user adds to the gateway of every project. */
export function userServersFile(): string {
  return join(directories().config, "mcp.json");
}
