import type { JsonSchema } from "../contract/call/schema-type.ts";
import { isRecord } from "../contract/values/is-record.ts";
import { UNSUPPORTED } from "./openai-unsupported.ts";

/** A schema in the form strict mode demands, or why it cannot be brought there without changing what it accepts. */
export type StrictSchema = { readonly schema: JsonSchema } | { readonly unfit: string };

/** OpenAI's strict form: every property required, optional ones may be null (taken out again), no others. */
export function toOpenAiStrict(schema: JsonSchema): StrictSchema {
  try {
    const { $schema: _dialect, $id: _id, ...body } = schema;
    return { schema: strict(body, "") as JsonSchema };
  } catch (error) {
    if (error instanceof Unfit) return { unfit: error.message };
    throw error;
  }
}

class Unfit extends Error {}

function strict(schema: unknown, path: string): unknown {
  if (!isRecord(schema)) throw new Unfit(`${path || "/"} is not an object`);
  const foreign = UNSUPPORTED.find((keyword) => keyword in schema);
  if (foreign !== undefined) throw new Unfit(`${path}/${foreign} is not known in strict mode`);
  if (typeof schema["$ref"] === "string" && !schema["$ref"].startsWith("#/")) {
    throw new Unfit(`${path}/$ref must point into the schema`);
  }
  const out: Record<string, unknown> = { ...schema };
  delete out["default"];
  for (const keyword of ["$defs", "definitions"]) {
    if (isRecord(out[keyword]))
      out[keyword] = mapValues(out[keyword], (inner, key) => strict(inner, `${path}/${keyword}/${key}`));
  }
  if (Array.isArray(out["anyOf"]))
    out["anyOf"] = out["anyOf"].map((inner, index) => strict(inner, `${path}/anyOf/${index}`));
  if (out["items"] !== undefined) out["items"] = strict(out["items"], `${path}/items`);
  return describesObject(out) ? closed(out, path) : out;
}

function closed(schema: Record<string, unknown>, path: string): Record<string, unknown> {
  const open = schema["additionalProperties"];
  if (open !== undefined && open !== false) throw new Unfit(`${path}/additionalProperties cannot stay open`);
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as string[]) : []);
  return {
    ...schema,
    properties: mapValues(properties, (inner, name) => {
      const made = strict(inner, `${path}/properties/${name}`) as Record<string, unknown>;
      return required.has(name) ? made : nullable(made);
    }),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** An optional property becomes one that is always there and may be null. */
function nullable(schema: Record<string, unknown>): Record<string, unknown> {
  const { type } = schema;
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return schema;
  if (Array.isArray(schema["anyOf"])) return { ...schema, anyOf: [...schema["anyOf"], { type: "null" }] };
  if (typeof type === "string" && !("enum" in schema) && !("const" in schema))
    return { ...schema, type: [type, "null"] };
  if (Array.isArray(type) && !("enum" in schema)) return { ...schema, type: [...type, "null"] };
  const { description, ...bare } = schema;
  return { ...(description === undefined ? {} : { description }), anyOf: [bare, { type: "null" }] };
}

function describesObject(schema: Record<string, unknown>): boolean {
  const { type } = schema;
  return type === "object" || (Array.isArray(type) && type.includes("object")) || "properties" in schema;
}

function mapValues(
  record: Record<string, unknown>,
  map: (value: unknown, key: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
