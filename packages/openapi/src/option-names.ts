import type { OpenApiToolsOptions } from "./open-document.ts";

/** What the tools of a document can be made with. */
export const DOCUMENT_OPTIONS: Readonly<Record<keyof OpenApiToolsOptions, true>> = {
  document: true,
  fetch: true,
  operations: true,
  tags: true,
  pathPrefix: true,
  deprecated: true,
  prefix: true,
  baseUrl: true,
  auth: true,
  timeoutMs: true,
  maxOutputBytes: true,
  retriesIdempotent: true,
  means: true,
  layer: true,
};
