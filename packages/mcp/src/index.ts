export { fileTokenStore } from "./connection/oauth/file-token-store.ts";
export type { Gateway, GatewayOptions } from "./gateway/gateway.ts";
export { openGateway } from "./gateway/open-gateway.ts";
export { fileAcceptedServers } from "./servers/file-accepted-servers.ts";
export type { McpServerConfig } from "./servers/server-config.ts";
export type { ServerSettings } from "./servers/server-entry.ts";
export { type ApprovalQueue, createApprovalQueue } from "./serving/approval-queue.ts";
export { type McpServing, type ServeOptions, serveMcp } from "./serving/serve-mcp.ts";
export { type McpServers, type McpServersOptions, openMcpServers } from "./source/open-mcp-servers.ts";
