import type { JsonSchema } from "@toolkeep/core";
import type { JsonObject } from "../document/json-object.ts";
import { type Operation, parametersOf } from "../document/list-operations.ts";
import { shownText } from "../document/shown-text.ts";
import { quoted, Unreadable } from "../document/unreadable.ts";
import { type PathTemplate, parametersIn, readTemplate } from "../request/path-template.ts";
import { readBody } from "../request/read-body.ts";
import { type Parameter, readParameters } from "../request/read-parameters.ts";
import type { RequestPlan } from "../request/request-plan.ts";
import type { ConvertedSchema } from "../schemas/convert-schema.ts";
import { DistinctNames } from "../schemas/distinct-names.ts";
import type { SchemaBook } from "../schemas/schema-book.ts";

export interface OperationInput {
  readonly schema: JsonSchema;
  readonly plan: RequestPlan;
}

export interface InputSources {
  readonly document: JsonObject;
  readonly book: SchemaBook;
  /** Whether a parameter belongs to the credentials, and so is not an argument. */
  isCredential(location: string, name: string): boolean;
}

/** One schema for all parameters, and the body as `body`. @throws Unreadable if something required cannot be sent. */
export function operationInput(operation: Operation, sources: InputSources): OperationInput {
  const { document, book, isCredential } = sources;
  const template = readTemplate(operation.path);
  const parameters = readParameters(parametersOf(operation, document), isCredential);
  assertComplete(template, parameters);
  const part = readBody(operation, document);
  const names = new ArgumentNames();
  const named = new Map(
    parameters.map((parameter) => [names.give(parameter.name, parameter.location), parameter]),
  );
  const body = part === undefined ? undefined : { argument: names.give("body", "content"), part };
  const entries = [...named, ...(body === undefined ? [] : [[body.argument, body.part] as const])];
  const properties = entries.map(
    ([name, entry]) => [name, describe(book.convert(entry.schema), entry)] as const,
  );
  const definitions = book.definitionsOf(properties.map(([, converted]) => converted));
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const schema = {
    type: "object",
    properties: Object.fromEntries(properties.map(([name, converted]) => [name, converted.schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
  return { schema, plan: { template, parameters: named, ...(body === undefined ? {} : { body }) } };
}

function assertComplete(template: PathTemplate, parameters: readonly Parameter[]): void {
  const inPath = new Set(parameters.filter(({ location }) => location === "path").map(({ name }) => name));
  const missing = parametersIn(template).find((name) => !inPath.has(name));
  if (missing !== undefined)
    throw new Unreadable(`its path contains {${missing}}, but there is no parameter with that name`);
  const placeholders = new Set(parametersIn(template));
  const stray = [...inPath].find((name) => !placeholders.has(name));
  if (stray !== undefined) throw new Unreadable(`its path does not contain its parameter ${quoted(stray)}`);
}

/** The parameter's own description has priority over its schema's. */
function describe(converted: ConvertedSchema, { description }: { description?: string }): ConvertedSchema {
  if (description === undefined || typeof converted.schema === "boolean") return converted;
  const own = shownText(description);
  const inner = converted.schema["description"];
  const text =
    typeof inner === "string" && /^(?:Default: |Must match )/.test(inner) ? `${own} ${inner}` : own;
  return { ...converted, schema: { ...converted.schema, description: text } };
}

/** Unique property names that every provider accepts. */
class ArgumentNames {
  readonly #names = new DistinctNames();

  give(name: string, location: string): string {
    const plain = name.replaceAll(/[^\w.-]/g, "_").slice(0, 48);
    return this.#names.give(this.#names.isFree(plain) ? plain : `${plain}_${location}`);
  }
}
