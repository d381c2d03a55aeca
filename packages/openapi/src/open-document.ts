import { assertKnownKeys, invalidOption } from "@toolkeep/core/internal";
import { readOwnedFile } from "@toolkeep/node/internal";
import { type FetchDocument, fetchDocument } from "./document/fetch-document.ts";
import type { JsonObject } from "./document/json-object.ts";
import { MOST_BYTES, readSpec, readText } from "./document/read-text.ts";
import { type DocumentOptions, type OpenApiTools, toolsOf } from "./open-api-tools.ts";

/** Options of `openApiTools`. */
export interface OpenApiToolsOptions extends DocumentOptions {
  /**
   * The OpenAPI 3.0 or 3.1 document: the path of a file, an https address, its text in JSON or YAML as `{ text }`, or a
   * parsed object. References to other files are not followed.
   */
  readonly document: string | URL | { readonly text: string } | object;
  /** Fetches the document from an address. Default: the `fetch` of this process. */
  readonly fetch?: FetchDocument;
}

const OPTIONS: Readonly<Record<keyof OpenApiToolsOptions, true>> = {
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

/**
 * Makes a tool of each operation of an OpenAPI document. The document is read once, by the host application: no tool
 * and no model reads it, so no policy rule applies. With `auth`, a document from an address must name a server on the
 * same host, unless `baseUrl` names the server.
 * @throws ToolkeepError `invalid_option` for a document or options that cannot be used. Operations that cannot become
 * tools are omitted and listed in `diagnostics`.
 * @example
 * ```ts
 * const { tools, diagnostics } = await openApiTools({
 *   document: "./petstore.yaml",
 *   auth: { token: { bearer: "PETS_TOKEN" } },
 * });
 * ```
 */
export async function openApiTools(options: OpenApiToolsOptions): Promise<OpenApiTools> {
  assertKnownKeys(options, Object.keys(OPTIONS), "OpenAPI option");
  const { document, fetch: fetcher, ...more } = options;
  const address = addressOf(document);
  if (address !== undefined) return toolsOf(readText(await fetchDocument(address, fetcher)), more, address);
  return toolsOf(await parsedDocument(document), more);
}

/** The address to fetch a document from; `undefined` for any other document. */
function addressOf(document: OpenApiToolsOptions["document"]): string | undefined {
  if (document instanceof URL) return document.href;
  return typeof document === "string" && /^[a-z][a-z0-9+.-]+:\/\//i.test(document) ? document : undefined;
}

async function parsedDocument(document: OpenApiToolsOptions["document"]): Promise<JsonObject> {
  if (typeof document === "string") return readText(await documentFile(document));
  if (typeof document !== "object" || document === null)
    throw invalidOption("`document` must be a path, an address, `{ text }` or an object.");
  const { text, openapi } = document as { readonly text?: unknown; readonly openapi?: unknown };
  return typeof text === "string" && openapi === undefined ? readText(text) : readSpec(document);
}

async function documentFile(path: string): Promise<string> {
  const found = await readOwnedFile(path, { mostBytes: MOST_BYTES, owners: "anyone" });
  if (found === undefined)
    throw invalidOption(
      `The OpenAPI document ${JSON.stringify(path)} does not exist. To pass text, use { text }.`,
    );
  if (found.error !== undefined)
    throw invalidOption(`The OpenAPI document ${JSON.stringify(path)} cannot be used: ${found.error}.`);
  return found.text;
}
