import { upgrade } from "@scalar/openapi-upgrader";
import type { ToolkeepError } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import { isObject, type JsonObject, own, ownText } from "./json-object.ts";

/**
 * The document as OpenAPI 3.1, whatever its version: the rest of the package reads only that.
 * @throws ToolkeepError `invalid_option` for Swagger 2, for an unknown version, and for a document without paths.
 */
export function liftDocument(document: JsonObject): JsonObject {
  if (own(document, "swagger") !== undefined)
    throw invalid(
      "it is Swagger 2.0, which is not supported; convert it to OpenAPI 3 first, for example with `npx swagger2openapi`",
    );
  const version = ownText(document, "openapi");
  if (version === undefined) throw invalid("it has no `openapi` version field");
  if (!/^3\.[01]\.\d+/.test(version))
    throw invalid(`its version is ${JSON.stringify(version.slice(0, 20))}; 3.0 and 3.1 are supported`);
  const lifted: unknown = version.startsWith("3.0") ? lift(document) : document;
  if (!isObject(lifted) || !isObject(own(lifted, "paths"))) throw invalid("it has no paths");
  return lifted;
}

function lift(document: JsonObject): unknown {
  try {
    return upgrade(structuredClone(document) as Record<string, unknown>, "3.1");
  } catch (cause) {
    throw invalidOption("The OpenAPI document cannot be converted from version 3.0.", {
      cause,
    });
  }
}

function invalid(reason: string): ToolkeepError {
  return invalidOption(`The OpenAPI document cannot be used: ${reason}.`);
}
