import { type Diagnostic, type JsonSchema, ToolkeepError } from "@toolkeep/core";
import { chooseCredentials } from "../auth/choose-credentials.ts";
import type { CredentialUse } from "../auth/credential.ts";
import { isObject, type JsonObject, own } from "../document/json-object.ts";
import { type Operation, operationTitle } from "../document/list-operations.ts";
import { resolveReference } from "../document/resolve-reference.ts";
import { firstServer, type ServerAddress } from "../document/server-address.ts";
import { Unreadable } from "../document/unreadable.ts";
import { SchemaBook } from "../schemas/schema-book.ts";
import { operationInput } from "./operation-input.ts";
import type { OperationMeaning, ReadOperation } from "./operation-tool.ts";

/** What operations are read from. */
export interface OperationSources {
  readonly document: JsonObject;
  readonly server: ServerAddress;
  readonly resolved: ReadonlyMap<string, CredentialUse>;
  readonly names: ReadonlyMap<Operation, string>;
  readonly options: {
    readonly baseUrl?: string;
    readonly means?: (operation: Operation) => OperationMeaning | undefined;
  };
}

/** Reads each operation on its own: one that cannot be read becomes a diagnostic, and the others are not affected. */
export function readOperations(
  operations: readonly Operation[],
  sources: OperationSources,
): { readonly operations: readonly ReadOperation[]; readonly diagnostics: readonly Diagnostic[] } {
  const { document, resolved, names, options } = sources;
  const requests = new SchemaBook(document, "request");
  const responses = new SchemaBook(document, "response");
  const keys = new Set([...resolved.values()].flatMap(locationOf));
  const isCredential = (location: string, name: string) => keys.has(locationKey(location, name));

  function read(operation: Operation): ReadOperation {
    const server = serverOf(operation, sources);
    const credentials = chooseCredentials(operation, resolved, document);
    const outputSchema = operationOutput(operation, document, responses);
    const meaning = options.means?.(operation);
    return {
      operation,
      name: names.get(operation) as string,
      input: operationInput(operation, { document, book: requests, isCredential }),
      reach: { method: operation.method, server, credentials },
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...(meaning === undefined ? {} : { meaning }),
    };
  }

  const done: ReadOperation[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const operation of operations) {
    try {
      done.push(read(operation));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      diagnostics.push({
        code: "invalid_operation",
        subject: operationTitle(operation),
        message: `Omitted: ${error.message}.`,
      });
    }
  }
  return { operations: done, diagnostics };
}

/** An operation can have its own path on the server, but not its own server. */
function serverOf(operation: Operation, { server, options }: OperationSources): ServerAddress {
  const declared = own(operation.definition, "servers") ?? own(operation.pathDefinition, "servers");
  if (options.baseUrl !== undefined || !Array.isArray(declared) || declared.length === 0) return server;
  const wanted = ownServer(declared, server);
  if (wanted.origin === server.origin) return wanted;
  throw new Unreadable(
    `it is on another server, ${wanted.origin}; create a separate set of tools for it, with \`baseUrl\``,
  );
}

function ownServer(declared: unknown, server: ServerAddress): ServerAddress {
  try {
    return firstServer(declared, server.origin);
  } catch (error) {
    throw ToolkeepError.isInstance(error) ? new Unreadable("its own server is not a web address") : error;
  }
}

function locationOf(credential: CredentialUse): string[] {
  return credential.kind === "apiKey" ? [locationKey(credential.in, credential.name)] : [];
}

/** Header names are not case-sensitive. */
function locationKey(location: string, name: string): string {
  return `${location} ${location === "header" ? name.toLowerCase() : name}`;
}

const LARGEST = 32_000;
/** More would exceed the limit. */
const MOST_DEFINITIONS = 1_000;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

/**
 * The schema of a result, if the document describes it in a reasonable size. The body can be as described or anything
 * else: servers answer as they like, and errors have other bodies.
 */
function operationOutput(
  operation: Operation,
  document: JsonObject,
  book: SchemaBook,
): JsonSchema | undefined {
  try {
    const described = successSchema(operation, document);
    if (described === undefined) return undefined;
    const body = book.convert(described);
    const definitions = book.definitionsOf([body], MOST_DEFINITIONS);
    const schema = {
      type: "object",
      properties: {
        status: { type: "integer" },
        headers: { type: "object" },
        body: {
          description: "As described where the status is 2xx, unless the server answers otherwise.",
          anyOf: [body.schema, {}],
        },
      },
      ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
    };
    return JSON.stringify(schema).length > LARGEST ? undefined : schema;
  } catch (error) {
    // An operation works without it.
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

function successSchema(operation: Operation, document: JsonObject): unknown {
  const responses = own(operation.definition, "responses");
  const status = isObject(responses)
    ? Object.keys(responses).find((code) => /^2(?:\d\d|XX)$/i.test(code))
    : undefined;
  if (status === undefined) return undefined;
  const content = own(resolveReference(own(responses, status), document), "content");
  const media = isObject(content)
    ? Object.entries(content).find(([type]) => JSON_TYPE.test(type))
    : undefined;
  return own(media?.[1], "schema");
}
