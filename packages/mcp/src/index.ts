export { connect } from "./connection/connect.ts";
export type { ConnectOptions } from "./connection/connect-options.ts";
export type {
  ConnectedServer,
  Connection,
  ConnectionChange,
  ConnectionNews,
  ConnectionStatus,
  RemoteCall,
} from "./connection/connection.ts";
export type { LogMessage } from "./connection/server-log.ts";
export type {
  ArgumentCheck,
  EffectMap,
  MappedEffect,
  MappedStart,
  MappedTool,
} from "./effect-maps/effect-map.ts";
export { effectsOf } from "./effect-maps/effects-of.ts";
export { mapFor } from "./effect-maps/map-for.ts";
export { requirementsOf } from "./effect-maps/requirements-of.ts";
export { SHIPPED_MAPS } from "./effect-maps/shipped/shipped-maps.ts";
export type { Gateway, GatewayOptions } from "./gateway/gateway.ts";
export { openGateway } from "./gateway/open-gateway.ts";
export { fileTokenStore } from "./oauth/file-token-store.ts";
export type { OAuthClient, OAuthOptions } from "./oauth/oauth-options.ts";
export { openBrowser } from "./oauth/open-browser.ts";
export { memoryTokenStore, type StoredLogin, type TokenStore } from "./oauth/token-store.ts";
export { type EntryValues, type ExpandedEntry, expandEntry } from "./servers/expand-entry.ts";
export { fileKnownServers } from "./servers/file-known-servers.ts";
export type { ChangeKnown, KnownServer, KnownServers } from "./servers/known-servers.ts";
export { memoryKnownServers } from "./servers/memory-known-servers.ts";
export { type ReadServers, readServers, type ServerPlaces } from "./servers/read-servers.ts";
export type { HttpServer, ServerEntry, ServerSettings, StdioServer } from "./servers/server-entry.ts";
export { serverFingerprint } from "./servers/server-fingerprint.ts";
export { problemText, type ServerProblem } from "./servers/server-problem.ts";
export { type ReadSettings, readServerSettings, type SettingsPlaces } from "./servers/settings-file.ts";
export { settingsFor } from "./servers/settings-for.ts";
export { type ApprovalDesk, approvalDesk, type DeskClerk } from "./serving/approval-desk.ts";
export type { HttpEndpoint, HttpEndpointOptions, StdioEndpoint } from "./serving/endpoint.ts";
export { type McpServing, type ServeOptions, serveMcp } from "./serving/serve-mcp.ts";
export { type DefinitionText, type DefinitionTexts, definitionTexts } from "./source/definition-texts.ts";
export type {
  AcceptedTool,
  ConsentRequest,
  HeldTool,
  McpSource,
  McpSourceOptions,
  ServerReport,
} from "./source/mcp-source.ts";
export { openMcpSource } from "./source/open-mcp-source.ts";
export type { McpResourceDetails } from "./source/resource-output.ts";
export { plainName, prefixedName, type ToolPlace } from "./source/tool-name.ts";
export type { McpDetails } from "./source/tool-result.ts";
