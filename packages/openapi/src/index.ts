export type {
  ApiKeyCredential,
  BearerCredential,
  ClientCredential,
  Credential,
} from "./auth/credential.ts";
export type { FetchDocument } from "./document/fetch-document.ts";
export {
  type FromUrlOptions,
  fromOpenApiFile,
  fromOpenApiSpec,
  fromOpenApiString,
  fromOpenApiUrl,
} from "./from-sources.ts";
export type { OpenApiOptions, OpenApiTools } from "./open-api-tools.ts";
export type { OperationFilter } from "./operations/choose-operations.ts";
export type { Method, OpenApiDiagnostic, Operation } from "./operations/list-operations.ts";
export type { OperationMeaning } from "./operations/operation-tool.ts";
export type { OperationResult } from "./response/read-response.ts";
