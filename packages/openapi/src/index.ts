export type { Credential } from "./auth/credential.ts";
export type { Operation } from "./document/list-operations.ts";
export type { OpenApiTools } from "./open-api-tools.ts";
export { type OpenApiToolsOptions, openApiTools } from "./open-document.ts";
