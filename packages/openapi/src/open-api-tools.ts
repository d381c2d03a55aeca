import { createRegistry, type Registry, type Tool, type ToolDiagnostic, ToolkeepError } from "@toolkeep/core";
import type { Layer, Origin } from "@toolkeep/core/internal";
import type { Credential } from "./auth/credential.ts";
import { placeCredentials } from "./auth/place-credentials.ts";
import { TokenStore } from "./auth/token-store.ts";
import { checkDocument } from "./document/check-document.ts";
import { type JsonObject, own, ownText } from "./document/json-object.ts";
import { liftDocument } from "./document/lift-document.ts";
import { firstServer, readServer, type ServerAddress } from "./document/server-address.ts";
import { chooseOperations, type OperationFilter } from "./operations/choose-operations.ts";
import {
  listOperations,
  type OpenApiDiagnostic,
  type Operation,
  operationTitle,
} from "./operations/list-operations.ts";
import { nameTools } from "./operations/name-tools.ts";
import { type OperationMeaning, operationTool } from "./operations/operation-tool.ts";
import { readOperations } from "./operations/read-operations.ts";
import { shownText } from "./schemas/shown-text.ts";

export interface OpenApiOptions extends OperationFilter {
  /**
   * Names begin with it and two underscores: `pets` makes `pets__getPet`. Left out: made from the document's title.
   * Empty: names are as the document has them. Then register the document after all other tools.
   */
  readonly prefix?: string;
  /** Where the operations are called, instead of what the document says. */
  readonly baseUrl?: string;
  /** Credentials by the names of the document's security schemes. Left out: everything is called without. */
  readonly auth?: Readonly<Record<string, Credential>>;
  /** Of one call. 30 seconds where it is left out. */
  readonly timeoutMs?: number;
  /** Shown of one answer; the rest is kept in the sidecar. 64 KB where it is left out. */
  readonly maxOutputBytes?: number;
  /** Also PUT and DELETE, which HTTP calls idempotent, are tried again when the network fails. */
  readonly retriesIdempotent?: boolean;
  /** What an operation means beyond its request, so that rules on other capabilities cover it as well. */
  readonly means?: (operation: Operation) => OperationMeaning | undefined;
  /** The layer that `register` puts the tools into. `code` where it is left out. */
  readonly layer?: Layer;
}

/** The tools of one document. */
export interface OpenApiTools {
  readonly tools: readonly Tool[];
  /** What was left out, and why. */
  readonly diagnostics: readonly OpenApiDiagnostic[];
  readonly origin: Origin;
  /**
   * Puts the tools into a registry with their origin, so that what they bring counts as foreign. One whose name is
   * taken is left out, with a diagnostic: no document replaces a tool.
   */
  register(registry: Registry): readonly ToolDiagnostic[];
}

const PREFIX = /^[A-Za-z0-9_-]{1,32}$/;
const BOUNDS = { timeoutMs: 30_000, maxOutputBytes: 64 * 1_024, retriesIdempotent: false };

/**
 * Makes a tool of each operation that is chosen. `documentUrl` is where the document was fetched, if it was.
 * @throws ToolkeepError `invalid_option` for a document or options that cannot be used.
 */
export async function openApiTools(
  given: JsonObject,
  options: OpenApiOptions,
  documentUrl?: string,
): Promise<OpenApiTools> {
  assertOptions(options);
  const document = liftDocument(given);
  const errors = await checkDocument(given);
  const server = serverOf(document, options, documentUrl);
  const placed = placeCredentials(options.auth ?? {}, document, server);
  const listed = listOperations(document);
  const { chosen, diagnostics } = chooseOperations(listed.operations, options);
  const origin = originOf(document, options.layer);
  const names = nameTools(listed.operations, options.prefix ?? prefixOf(origin));
  const read = readOperations(chosen, { document, server, placed, names, options });
  const { timeoutMs, maxOutputBytes, retriesIdempotent } = { ...BOUNDS, ...defined(options) };
  const tokens = new TokenStore();
  const made = read.operations.map((one) => ({
    title: operationTitle(one.operation),
    tool: operationTool(one, { timeoutMs, maxOutputBytes, retriesIdempotent }, tokens),
  }));
  const { fit, unfit } = fitting(made, origin);
  return Object.freeze({
    tools: Object.freeze(fit),
    diagnostics: Object.freeze([
      ...errors.map((message) => ({ message })),
      ...listed.diagnostics,
      ...diagnostics,
      ...read.diagnostics,
      ...unfit,
    ]),
    origin,
    register: (registry: Registry) => fit.flatMap((tool) => registerTool(tool, origin, registry) ?? []),
  });
}

function assertOptions({ prefix, timeoutMs, maxOutputBytes }: OpenApiOptions): void {
  if (prefix !== undefined && prefix !== "" && !PREFIX.test(prefix))
    throw new ToolkeepError(
      "invalid_option",
      "`prefix` has 1 to 32 letters, digits, underscores or hyphens.",
    );
  for (const [name, value] of Object.entries({ timeoutMs, maxOutputBytes })) {
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      throw new ToolkeepError("invalid_option", `\`${name}\` is a whole number above 0.`);
  }
}

/**
 * The embedder's word, or the document's. A document that was fetched does not choose who gets credentials, and
 * no document has them sent without encryption.
 */
function serverOf(
  document: JsonObject,
  options: OpenApiOptions,
  documentUrl: string | undefined,
): ServerAddress {
  if (options.baseUrl !== undefined) return readServer(options.baseUrl);
  const server = firstServer(own(document, "servers"), documentUrl);
  if (options.auth === undefined || Object.keys(options.auth).length === 0) return server;
  const isElsewhere = documentUrl !== undefined && new URL(documentUrl).origin !== server.origin;
  if (!isElsewhere && server.origin.startsWith("https:")) return server;
  throw new ToolkeepError(
    "invalid_option",
    `The document would have the credentials sent to ${server.origin}. Give \`baseUrl\` if that is meant.`,
  );
}

function originOf(document: JsonObject, layer: Layer = "code"): Origin {
  const title = shownText(ownText(own(document, "info"), "title") ?? "", 100).replaceAll(/\s+/g, " ");
  return Object.freeze({ layer, source: "openapi", ...(title === "" ? {} : { id: title }) });
}

const LONGEST_PREFIX = 24;

/**
 * No name that begins with it is that of a tool from elsewhere: only here do two underscores follow what has none. An
 * MCP server whose tools have two has one in its own name.
 */
function prefixOf({ id = "" }: Origin): string {
  const plain = id.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return plain.slice(0, LONGEST_PREFIX).replaceAll(/^-|-$/g, "") || "api";
}

function registerTool(tool: Tool, origin: Origin, registry: Registry): ToolDiagnostic | undefined {
  const taken = registry.get(tool.name);
  if (taken === undefined) return registry.register(tool, { origin });
  const message = `The name is taken by ${taken.originName}, and no document replaces a tool. Give another \`prefix\`.`;
  return { code: "name_taken", toolName: tool.name, origin, path: "/name", message };
}

/** What a registry would not take is told at once, and not when it is too late. */
function fitting(made: readonly { readonly title: string; readonly tool: Tool }[], origin: Origin) {
  const registry = createRegistry();
  const fit: Tool[] = [];
  const unfit: OpenApiDiagnostic[] = [];
  for (const { title, tool } of made) {
    const error = registry.register(tool, { origin });
    if (error === undefined) fit.push(tool);
    else unfit.push({ operation: title, message: `Left out: ${error.path} ${error.message}` });
  }
  return { fit, unfit };
}

function defined<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}
