import { createRegistry, type Diagnostic, type Registry, type Tool } from "@toolkeep/core";
import { defined, invalidOption, type Layer, type Origin, withRegistration } from "@toolkeep/core/internal";
import type { Credential } from "./auth/credential.ts";
import { resolveCredentials } from "./auth/resolve-credentials.ts";
import { TokenStore } from "./auth/token-store.ts";
import { checkDocument } from "./document/check-document.ts";
import { type JsonObject, own, ownText } from "./document/json-object.ts";
import { liftDocument } from "./document/lift-document.ts";
import { listOperations, type Operation, operationTitle } from "./document/list-operations.ts";
import { firstServer, readServer, type ServerAddress } from "./document/server-address.ts";
import { shownText } from "./document/shown-text.ts";
import { chooseOperations, type OperationFilter } from "./operations/choose-operations.ts";
import { nameTools } from "./operations/name-tools.ts";
import { type OperationMeaning, operationTool } from "./operations/operation-tool.ts";
import { readOperations } from "./operations/read-operations.ts";

/** Which operations become tools, and how they are called. */
export interface DocumentOptions extends OperationFilter {
  /**
   * Prefix of all tool names, followed by two underscores: `pets` makes `pets__getPet`. Default: made from the document's
   * title. Empty: the document's own names. Then register the document after all other tools.
   */
  readonly prefix?: string;
  /** The address of the server, instead of the document's. */
  readonly baseUrl?: string;
  /** Credentials by the names of the document's security schemes. Default: none. */
  readonly auth?: Readonly<Record<string, Credential>>;
  /** The time limit of one call. Default: 30 seconds. */
  readonly timeoutMs?: number;
  /** How much of one answer is shown; the rest is kept in the sidecar. Default: 64 KB. */
  readonly maxOutputBytes?: number;
  /** Whether PUT and DELETE, which are idempotent in HTTP, are retried when the network fails. */
  readonly retriesIdempotent?: boolean;
  /** Further effects of an operation, so that rules on other capabilities cover it as well. */
  readonly means?: (operation: Operation) => OperationMeaning | undefined;
  /** The layer that `register` uses. Default: `code`. */
  readonly layer?: Layer;
}

/** The tools of one document, and what could not become a tool. */
export interface OpenApiTools {
  /** For `createSession({ tools })`. They carry their origin, so that their results are treated as untrusted. */
  readonly tools: readonly Tool[];
  /** What was omitted, and why. */
  readonly diagnostics: readonly Diagnostic[];
  readonly origin: Origin;
  /** Registers the tools as foreign. One whose name is taken is omitted with a diagnostic: no document replaces a tool. */
  register(registry: Registry): readonly Diagnostic[];
}

const PREFIX = /^[A-Za-z0-9_-]{1,32}$/;
const BOUNDS = { timeoutMs: 30_000, maxOutputBytes: 64 * 1_024, retriesIdempotent: false };

/**
 * Makes a tool of each chosen operation. `documentUrl` is the address the document was fetched from, if it was.
 * @throws ToolkeepError `invalid_option` for an unusable document or invalid options.
 */
export async function toolsOf(
  given: JsonObject,
  options: DocumentOptions,
  documentUrl?: string,
): Promise<OpenApiTools> {
  assertOptions(options);
  const document = liftDocument(given);
  const errors = await checkDocument(given);
  const server = serverOf(document, options, documentUrl);
  const resolved = resolveCredentials(options.auth ?? {}, document, server);
  const listed = listOperations(document);
  const { chosen, diagnostics } = chooseOperations(listed.operations, options);
  const origin = originOf(document, options.layer);
  const names = nameTools(listed.operations, options.prefix ?? prefixOf(origin));
  const read = readOperations(chosen, { document, server, resolved, names, options });
  const { timeoutMs, maxOutputBytes, retriesIdempotent } = { ...BOUNDS, ...defined(options) };
  const tokens = new TokenStore();
  const made = read.operations.map((one) => ({
    title: operationTitle(one.operation),
    tool: operationTool(one, { timeoutMs, maxOutputBytes, retriesIdempotent }, tokens),
  }));
  const { fit: usable, unfit } = fitting(made, origin);
  const fit = usable.map((tool) => withRegistration(tool, { origin }));
  return Object.freeze({
    tools: Object.freeze(fit),
    diagnostics: Object.freeze([
      ...errors.map((message) => ({ code: "invalid_document", message })),
      ...listed.diagnostics,
      ...diagnostics,
      ...read.diagnostics,
      ...unfit,
    ]),
    origin,
    register: (registry: Registry) => fit.flatMap((tool) => registerTool(tool, origin, registry) ?? []),
  });
}

function assertOptions({ prefix, timeoutMs, maxOutputBytes }: DocumentOptions): void {
  if (prefix !== undefined && prefix !== "" && !PREFIX.test(prefix))
    throw invalidOption("`prefix` must have 1 to 32 letters, digits, underscores or hyphens.");
  for (const [name, value] of Object.entries({ timeoutMs, maxOutputBytes })) {
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      throw invalidOption(`\`${name}\` must be a whole number above 0.`);
  }
}

/**
 * The host application's address, or the document's. A document that was fetched does not decide which host receives
 * credentials, and no document has them sent without encryption.
 */
function serverOf(
  document: JsonObject,
  options: DocumentOptions,
  documentUrl: string | undefined,
): ServerAddress {
  if (options.baseUrl !== undefined) return readServer(options.baseUrl);
  const server = firstServer(own(document, "servers"), documentUrl);
  if (options.auth === undefined || Object.keys(options.auth).length === 0) return server;
  const isElsewhere = documentUrl !== undefined && new URL(documentUrl).origin !== server.origin;
  if (!isElsewhere && server.origin.startsWith("https:")) return server;
  throw invalidOption(
    `The document would send the credentials to ${server.origin}. Set \`baseUrl\` to confirm the server.`,
  );
}

function originOf(document: JsonObject, layer: Layer = "code"): Origin {
  const title = shownText(ownText(own(document, "info"), "title") ?? "", 100).replaceAll(/\s+/g, " ");
  return Object.freeze({ layer, source: "openapi", ...(title === "" ? {} : { id: title }) });
}

const LONGEST_PREFIX = 24;

/**
 * No tool from elsewhere has a name with this prefix: only here do two underscores follow a part without underscores.
 * An MCP server whose tool names have two has one in its own name.
 */
function prefixOf({ id = "" }: Origin): string {
  const plain = id.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return plain.slice(0, LONGEST_PREFIX).replaceAll(/^-|-$/g, "") || "api";
}

function registerTool(tool: Tool, origin: Origin, registry: Registry): Diagnostic | undefined {
  const taken = registry.get(tool.name);
  if (taken === undefined) return registry.register(tool, { origin });
  const message = `The name is taken by ${taken.originName}. Set another \`prefix\`.`;
  return { code: "name_taken", subject: tool.name, origin, path: "/name", message };
}

/** What a registry would reject is reported at once. */
function fitting(made: readonly { readonly title: string; readonly tool: Tool }[], origin: Origin) {
  const registry = createRegistry();
  const fit: Tool[] = [];
  const unfit: Diagnostic[] = [];
  for (const { title, tool } of made) {
    const error = registry.register(tool, { origin });
    if (error === undefined) fit.push(tool);
    else
      unfit.push({
        code: "invalid_operation",
        subject: title,
        message: `Omitted: ${error.path} ${error.message}`,
      });
  }
  return { fit, unfit };
}
