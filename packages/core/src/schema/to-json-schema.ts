import { ToolkeepError } from "../contract/error.ts";
import { isStandardSchema, type JsonSchema, type Schema } from "../contract/schema-type.ts";

const known = new WeakMap<Schema, JsonSchema>();

/**
 * The JSON Schema of whatever an author gave.
 * @throws ToolkeepError `invalid_tool` when a Standard Schema cannot say it.
 */
export function toJsonSchema(schema: Schema): JsonSchema {
  if (!isStandardSchema(schema)) return schema;
  const cached = known.get(schema);
  if (cached !== undefined) return cached;
  const standard = schema["~standard"];
  if (standard.jsonSchema === undefined) {
    throw new ToolkeepError(
      "invalid_tool",
      `The ${standard.vendor} schema does not give its JSON Schema. Wrap it (valibot: toStandardJsonSchema from @valibot/to-json-schema), or pass a JSON Schema.`,
    );
  }
  const made = Object.freeze(standard.jsonSchema.input({ target: "draft-2020-12" }));
  known.set(schema, made);
  return made;
}
