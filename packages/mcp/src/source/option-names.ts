import type { McpServersOptions } from "./open-mcp-servers.ts";

/** What servers can be opened with. */
export const SERVERS_OPTIONS: Readonly<Record<keyof McpServersOptions, true>> = {
  servers: true,
  accepted: true,
  ifUnavailable: true,
  settings: true,
  maps: true,
  sandbox: true,
  folder: true,
  oauth: true,
  environment: true,
  naming: true,
  consent: true,
  onNote: true,
};
