import { isRecord } from "@toolkeep/core/internal";

type Schema = Readonly<Record<string, unknown>>;

/** A tool as a model sees it. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
}

const LONGEST_DESCRIPTION = 200;
const LONGEST_PROPERTY = 80;
const MOST_VALUES = 20;
/** How deep properties are shown: their own, and those of the objects in them. */
const MOST_DEPTH = 2;

/**
 * A definition of a few hundred bytes: the parameters by name and type, and what is required. It accepts more than the
 * tool does, and the session still validates against the whole schema.
 */
export function shortDefinition({ name, description, inputSchema }: Definition): Definition {
  return {
    name,
    description: cut(description, LONGEST_DESCRIPTION),
    inputSchema: { ...shortSchema(inputSchema, 0), type: "object" },
  };
}

function shortSchema(schema: unknown, depth: number): Schema {
  if (!isRecord(schema)) return {};
  const { type, enum: values, const: value, description, properties, required, items } = schema;
  const isShown = isRecord(properties) && depth < MOST_DEPTH;
  return {
    ...(type === undefined ? {} : { type }),
    ...(value === undefined ? {} : { const: value }),
    ...(Array.isArray(values) && values.length <= MOST_VALUES ? { enum: values } : {}),
    ...(depth === 1 && typeof description === "string"
      ? { description: cut(description, LONGEST_PROPERTY) }
      : {}),
    ...(isShown ? { properties: shortProperties(properties, depth + 1) } : {}),
    ...(isShown && Array.isArray(required) ? { required } : {}),
    ...(items === undefined ? {} : { items: shortSchema(items, Math.max(depth, 1) + 1) }),
  };
}

function shortProperties(properties: Schema, depth: number): Schema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, shortSchema(schema, depth)]),
  );
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
