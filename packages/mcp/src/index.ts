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
export { BUILT_IN_MAPS } from "./effect-maps/built-in/built-in-maps.ts";
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
export type { Gateway, GatewayOptions } from "./gateway/gateway.ts";
export { openGateway } from "./gateway/open-gateway.ts";
export { fileTokenStore } from "./oauth/file-token-store.ts";
export type { OAuthClient, OAuthOptions } from "./oauth/oauth-options.ts";
export { openBrowser } from "./oauth/open-browser.ts";
export { memoryTokenStore, type StoredLogin, type TokenStore } from "./oauth/token-store.ts";
export type { AcceptedServer, AcceptedServers, ChangeAccepted } from "./servers/accepted-servers.ts";
export { type EntryValues, type ExpandedEntry, expandEntry } from "./servers/expand-entry.ts";
export { fileAcceptedServers } from "./servers/file-accepted-servers.ts";
export { memoryAcceptedServers } from "./servers/memory-accepted-servers.ts";
export { type ReadServers, readServers, type ServerFiles } from "./servers/read-servers.ts";
export { diagnosticText, type ServerDiagnostic } from "./servers/server-diagnostic.ts";
export type { HttpServer, ServerEntry, ServerSettings, StdioServer } from "./servers/server-entry.ts";
export { serverFingerprint } from "./servers/server-fingerprint.ts";
export { type ReadSettings, readServerSettings, type SettingsFiles } from "./servers/settings-file.ts";
export { settingsFor } from "./servers/settings-for.ts";
export { type ApprovalHandler, type ApprovalQueue, approvalQueue } from "./serving/approval-queue.ts";
export type { HttpEndpoint, HttpEndpointOptions, StdioEndpoint } from "./serving/endpoint.ts";
export { type McpServing, type ServeOptions, serveMcp } from "./serving/serve-mcp.ts";
export { type DefinitionText, type DefinitionTexts, definitionTexts } from "./source/definition-texts.ts";
export type {
  AcceptedTool,
  ConsentRequest,
  McpSource,
  McpSourceOptions,
  ServerReport,
  ToolInReview,
} from "./source/mcp-source.ts";
export { openMcpSource } from "./source/open-mcp-source.ts";
export type { McpResourceDetails } from "./source/resource-output.ts";
export { plainName, prefixedName, type ToolAddress } from "./source/tool-name.ts";
export type { McpDetails } from "./source/tool-result.ts";
