import type { JsonSchema, Schema, StandardSchema } from "@toolkeep/core";
import type { FlexibleSchema, Schema as SdkSchema } from "ai";

/** How the SDK marks schemas that it made itself. */
const SDK_SCHEMA = Symbol.for("vercel.ai.schema");
const NO_ARGUMENTS: JsonSchema = Object.freeze({
  type: "object",
  properties: Object.freeze({}),
  additionalProperties: false,
});

/**
 * `check`: arguments come from a model. `trust`: the SDK has checked and changed them already, and a schema
 * that changes what it checks would not fit a second time. One that the SDK does not check is checked here.
 */
export type SchemaUse = "check" | "trust";

/** A schema of the SDK as one of ours: zod and the like, `jsonSchema()`, `zodSchema()`, lazy ones. */
export async function schemaOf(given: FlexibleSchema | undefined, use: SchemaUse): Promise<Schema> {
  if (given === undefined || given === null) return NO_ARGUMENTS;
  if (isStandard(given)) return use === "check" ? given : trusting(given["~standard"]);
  const made = typeof given === "function" ? (given as () => SdkSchema)() : given;
  return isSdkSchema(made) ? fromSdkSchema(made, use) : (made as unknown as JsonSchema);
}

async function fromSdkSchema(schema: SdkSchema, use: SchemaUse): Promise<Schema> {
  const json = (await schema.jsonSchema) as JsonSchema;
  const { validate } = schema;
  if (validate === undefined) return json;
  const standard: StandardSchema["~standard"] = {
    version: 1,
    vendor: "ai",
    jsonSchema: { input: () => ({ ...json }) },
    validate: async (value) => {
      const outcome = await validate(value);
      return outcome.success ? { value: outcome.value } : { issues: [{ message: outcome.error.message }] };
    },
  };
  return use === "check" ? { "~standard": standard } : trusting(standard);
}

function trusting(standard: StandardSchema["~standard"]): StandardSchema {
  return { "~standard": { ...standard, validate: (value) => ({ value }) } };
}

function isStandard(schema: unknown): schema is StandardSchema {
  const isCarrier = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  return isCarrier && "~standard" in schema;
}

function isSdkSchema(schema: unknown): schema is SdkSchema {
  return typeof schema === "object" && schema !== null && SDK_SCHEMA in schema;
}
