import {
  isStandardSchema,
  type JsonSchema,
  jsonSchemaOf,
  type Schema,
} from "../contract/call/schema-type.ts";
import { ToolkeepError } from "../contract/values/error.ts";

/** The JSON Schema of what an author gave. @throws ToolkeepError `invalid_tool` if a Standard Schema cannot say it. */
export function toJsonSchema(schema: Schema): JsonSchema {
  if (!isStandardSchema(schema)) return schema;
  const made = jsonSchemaOf(schema);
  if (made !== undefined) return made;
  throw new ToolkeepError(
    "invalid_tool",
    `The ${schema["~standard"].vendor} schema does not give its JSON Schema. Wrap it (valibot: toStandardJsonSchema from @valibot/to-json-schema), or pass a JSON Schema.`,
  );
}
