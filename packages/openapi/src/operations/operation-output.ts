import type { JsonSchema } from "@toolkeep/core";
import { isObject, type JsonObject, own } from "../document/json-object.ts";
import type { Operation } from "../document/list-operations.ts";
import { resolveReference } from "../document/resolve-reference.ts";
import { Unreadable } from "../document/unreadable.ts";
import type { SchemaBook } from "../schemas/schema-book.ts";

const LARGEST = 32_000;
/** More would exceed the limit. */
const MOST_DEFINITIONS = 1_000;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

/**
 * The schema of a result, if the document describes it in a reasonable size. The body can be as described or anything
 * else: servers answer as they like, and errors have other bodies.
 */
export function operationOutput(
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
