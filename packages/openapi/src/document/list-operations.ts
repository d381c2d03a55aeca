import type { Diagnostic } from "@toolkeep/core";
import { isObject, type JsonObject, objectsIn, own, ownText, textsIn } from "./json-object.ts";
import { resolveReference } from "./resolve-reference.ts";
import { shownText } from "./shown-text.ts";
import { Unreadable } from "./unreadable.ts";

export type Method = "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One operation of a document. */
export interface Operation {
  readonly method: Method;
  /** As in the document, with its parameters in braces. */
  readonly path: string;
  readonly id?: string;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
  readonly summary?: string;
  readonly description?: string;
  /** Its definition in the document. */
  readonly definition: JsonObject;
  /** The definition of all operations on this path. */
  readonly pathDefinition: JsonObject;
}

const METHODS: readonly Method[] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

/** Every operation of a document, in its order. TRACE is omitted: it returns what was sent, including keys. */
export function listOperations(document: JsonObject): {
  readonly operations: readonly Operation[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const operations: Operation[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [path, item] of Object.entries(own(document, "paths") as JsonObject)) {
    if (path.startsWith("x-")) continue;
    try {
      operations.push(...operationsAt(path, resolveReference(item, document)));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      diagnostics.push({
        code: "invalid_operation",
        subject: oneLine(path),
        message: `Omitted: ${error.message}.`,
      });
    }
  }
  return { operations, diagnostics };
}

/** As shown to the user. */
export function operationTitle({ method, path }: Operation): string {
  return `${method} ${oneLine(path)}`;
}

function oneLine(path: string): string {
  return shownText(path, 200).replaceAll(/\s+/g, " ");
}

function operationsAt(path: string, item: JsonObject): Operation[] {
  return METHODS.flatMap((method) => {
    const definition = own(item, method.toLowerCase());
    return isObject(definition) ? [readOperation(method, path, { definition, pathDefinition: item })] : [];
  });
}

function readOperation(
  method: Method,
  path: string,
  declared: Pick<Operation, "definition" | "pathDefinition">,
): Operation {
  const { definition, pathDefinition } = declared;
  const id = ownText(definition, "operationId");
  const summary = ownText(definition, "summary") ?? ownText(pathDefinition, "summary");
  const description = ownText(definition, "description") ?? ownText(pathDefinition, "description");
  return Object.freeze({
    method,
    path,
    tags: textsIn(own(definition, "tags")),
    isDeprecated: own(definition, "deprecated") === true,
    definition,
    pathDefinition,
    ...(id === undefined || id === "" ? {} : { id }),
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
  });
}

/** The parameters of an operation; those of its path apply if it has none with the same name and location. */
export function parametersOf(operation: Operation, document: JsonObject): readonly JsonObject[] {
  const lists = [own(operation.pathDefinition, "parameters"), own(operation.definition, "parameters")];
  const found = new Map<string, JsonObject>();
  for (const entry of lists.flatMap(objectsIn)) {
    const parameter = resolveReference(entry, document);
    found.set(JSON.stringify([own(parameter, "in"), own(parameter, "name")]), parameter);
  }
  return [...found.values()];
}
