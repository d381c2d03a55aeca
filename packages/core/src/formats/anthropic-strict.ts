import type { JsonSchema } from "../contract/call/schema-type.ts";
import { isRecord } from "../contract/values/is-record.ts";
import { ANTHROPIC_FORMATS } from "./anthropic-formats.ts";

type Fields = Record<string, unknown>;

/**
 * Brings a schema into the form of Anthropic's strict tools: objects are closed, and keywords that
 * are not understood there are told to the model in the description instead. `undefined` when a
 * part says neither its type nor its alternatives.
 */
export function toAnthropicStrict(schema: JsonSchema): JsonSchema | undefined {
  try {
    return strict(schema);
  } catch (error) {
    if (error instanceof Untyped) return undefined;
    throw error;
  }
}

class Untyped extends Error {}

function strict(schema: JsonSchema): JsonSchema {
  const rest: Fields = { ...schema };
  const out: Fields = {};
  const defs = take(rest, "$defs");
  if (isRecord(defs)) out["$defs"] = mapValues(defs, strict);
  const reference = take(rest, "$ref");
  if (reference !== undefined) return { ...out, $ref: reference };

  Object.assign(out, literals(rest));
  const declared = take(rest, "type");
  const isLiteral = "enum" in out || "const" in out;
  const alternatives = takeAlternatives(rest);
  Object.assign(out, alternatives);
  if (alternatives === undefined && !isLiteral) {
    if (declared === undefined) throw new Untyped();
    out["type"] = declared;
  }
  for (const note of ["description", "title"]) {
    const value = take(rest, note);
    if (value !== undefined) out[note] = value;
  }
  if (!isLiteral && typeof declared === "string") Object.assign(out, structure(declared, rest));
  return withRemarks(out, rest);
}

function literals(rest: Fields): Fields {
  const out: Fields = {};
  const choices = rest["enum"];
  if (Array.isArray(choices) && choices.length > 0 && choices.every(isScalar))
    out["enum"] = take(rest, "enum");
  if (rest["const"] !== undefined && isScalar(rest["const"])) out["const"] = take(rest, "const");
  return out;
}

/** `oneOf` is told as `anyOf`; of several kinds of alternatives, one counts. */
function takeAlternatives(rest: Fields): Fields | undefined {
  const anyOf = take(rest, "anyOf");
  const oneOf = take(rest, "oneOf");
  const allOf = take(rest, "allOf");
  if (Array.isArray(anyOf)) return { anyOf: anyOf.map(strict) };
  if (Array.isArray(oneOf)) return { anyOf: oneOf.map(strict) };
  return Array.isArray(allOf) ? { allOf: allOf.map(strict) } : undefined;
}

/** The keywords of a type that are understood; the others stay in `rest`. */
function structure(type: string, rest: Fields): Fields {
  if (type === "object") {
    const properties = take(rest, "properties");
    const required = take(rest, "required");
    take(rest, "additionalProperties");
    return {
      properties: isRecord(properties) ? mapValues(properties, strict) : {},
      additionalProperties: false,
      ...(required === undefined ? {} : { required }),
    };
  }
  if (type === "string")
    return ANTHROPIC_FORMATS.has(rest["format"] as string) ? { format: take(rest, "format") } : {};
  if (type !== "array") return {};
  const items = take(rest, "items");
  const few = rest["minItems"] === 0 || rest["minItems"] === 1;
  return {
    ...(items === undefined ? {} : { items: strict(items as JsonSchema) }),
    ...(few ? { minItems: take(rest, "minItems") } : {}),
  };
}

function withRemarks(schema: Fields, rest: Fields): JsonSchema {
  const remarks = Object.entries(rest).map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`);
  if (remarks.length === 0) return schema;
  const said = typeof schema["description"] === "string" ? `${schema["description"]}\n\n` : "";
  return { ...schema, description: `${said}{${remarks.join(", ")}}` };
}

function take(fields: Fields, key: string): unknown {
  const value = fields[key];
  delete fields[key];
  return value;
}

function mapValues(record: Fields, map: (schema: JsonSchema) => JsonSchema): Fields {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value as JsonSchema)]));
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object";
}
