import { readFile, stat } from "node:fs/promises";
import { ToolkeepError } from "@toolkeep/core";
import { type FetchDocument, fetchDocument } from "./document/fetch-document.ts";
import { MOST_BYTES, readSpec, readText } from "./document/read-text.ts";
import { type OpenApiOptions, type OpenApiTools, openApiTools } from "./open-api-tools.ts";

/**
 * Tools from the text of an OpenAPI document, in JSON or YAML.
 * @throws ToolkeepError `invalid_option` for a document or options that cannot be used.
 */
export async function fromOpenApiString(text: string, options: OpenApiOptions = {}): Promise<OpenApiTools> {
  return openApiTools(readText(text), options);
}

/**
 * Tools from a file. It is read by the embedder's own leave, and once: no tool reads it, and nothing it refers to
 * is read.
 * @throws ToolkeepError `invalid_option` as `fromOpenApiString` does, and for a file that cannot be read.
 */
export async function fromOpenApiFile(path: string, options: OpenApiOptions = {}): Promise<OpenApiTools> {
  return fromOpenApiString(await readDocumentFile(path), options);
}

export interface FromUrlOptions extends OpenApiOptions {
  /** Gets the document. Left out: the `fetch` of this process, over https. */
  readonly fetch?: FetchDocument;
}

/**
 * Tools from an address. It is the embedder's own request, made once: no tool and no model makes it, so no rule is
 * asked about it. With `auth`, the document's server must be on the same host, unless `baseUrl` says where.
 * @throws ToolkeepError `invalid_option` as `fromOpenApiString` does, and for a document that cannot be had.
 */
export async function fromOpenApiUrl(url: string, options: FromUrlOptions = {}): Promise<OpenApiTools> {
  const { fetch: fetcher, ...more } = options;
  return openApiTools(readText(await fetchDocument(url, fetcher)), more, url);
}

/**
 * Tools from a document that was read already.
 * @throws ToolkeepError `invalid_option` as `fromOpenApiString` does.
 */
export async function fromOpenApiSpec(spec: object, options: OpenApiOptions = {}): Promise<OpenApiTools> {
  return openApiTools(readSpec(spec), options);
}

/** Looked at before it is read: what is no file may never end. */
async function readDocumentFile(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new ToolkeepError("invalid_option", "The OpenAPI document is no file.");
    if (found.size > MOST_BYTES)
      throw new ToolkeepError("invalid_option", `The OpenAPI document is larger than ${MOST_BYTES} bytes.`);
    return await readFile(path, "utf8");
  } catch (cause) {
    if (ToolkeepError.isInstance(cause)) throw cause;
    throw new ToolkeepError("invalid_option", "The file of the OpenAPI document cannot be read.", { cause });
  }
}
