import type { JsonSchema } from "@toolkeep/core";
import { serverText } from "../requests/request-failure.ts";

const LONGEST_TITLE = 200;
const NUMBERS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;

/** The schema of a form's field, reduced to the keywords that are allowed there. */
export function fieldSchema(property: Readonly<Record<string, unknown>>, byDefault: unknown): JsonSchema {
  const { type, title, description, format } = property;
  const numbers = NUMBERS.filter((name) => typeof property[name] === "number");
  return {
    type,
    ...(typeof title === "string" ? { title: shortened(title) } : {}),
    ...(typeof description === "string" ? { description: serverText(description) } : {}),
    ...(typeof format === "string" ? { format: shortened(format) } : {}),
    ...Object.fromEntries(numbers.map((name) => [name, property[name]])),
    ...choicesOf(property),
    ...itemsOf(property["items"]),
    ...(byDefault === undefined ? {} : { default: byDefault }),
  };
}

function itemsOf(items: unknown): JsonSchema {
  if (typeof items !== "object" || items === null) return {};
  const { type } = items as { type?: unknown };
  return {
    items: { ...(type === "string" ? { type } : {}), ...choicesOf(items as Record<string, unknown>) },
  };
}

/** Values alone, values with names, or pairs: as the server wrote it. */
function choicesOf(schema: Readonly<Record<string, unknown>>): JsonSchema {
  const pairs = (["oneOf", "anyOf"] as const).find((name) => Array.isArray(schema[name]));
  if (pairs !== undefined) return { [pairs]: (schema[pairs] as readonly unknown[]).flatMap(pairOf) };
  const { enum: values, enumNames: names } = schema;
  if (!Array.isArray(values)) return {};
  return {
    enum: values.filter(isText),
    ...(Array.isArray(names) ? { enumNames: names.filter(isText).map(shortened) } : {}),
  };
}

function pairOf(pair: unknown): readonly JsonSchema[] {
  const { const: value, title } = (pair ?? {}) as { const?: unknown; title?: unknown };
  return isText(value) ? [{ const: value, title: shortened(isText(title) ? title : value) }] : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function shortened(text: string): string {
  return serverText(text).slice(0, LONGEST_TITLE);
}
