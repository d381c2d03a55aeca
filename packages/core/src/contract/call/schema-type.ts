import type { FromJsonSchema } from "./from-json-schema.ts";

/** A JSON Schema, kept as the plain object its author wrote. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The part of the Standard Schema protocol (version 1) that Toolkeep relies on.
 * Zod, Valibot and ArkType schemas satisfy it as they are.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardOutcome<Output> | Promise<StandardOutcome<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { target: "draft-2020-12" | "draft-07" }) => Record<string, unknown>;
    };
  };
}

/** What a Standard Schema answers: the value it made, or the issues it found. */
export type StandardOutcome<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Whatever may describe a tool's arguments, configuration or state. */
export type Schema = StandardSchema | JsonSchema;

/** The type a tool receives for a schema: the schema's output, defaults applied. */
export type Infer<S> =
  S extends StandardSchema<infer _Input, infer Output>
    ? Output
    : S extends JsonSchema
      ? FromJsonSchema<S>
      : unknown;

/** The type a caller gives for a schema: what has a default may be left out. */
export type InferInput<S> = S extends StandardSchema<infer Input, infer _Output> ? Input : Infer<S>;

const converted = new WeakMap<StandardSchema, JsonSchema>();

/** The JSON Schema that a Standard Schema gives of itself, made once; `undefined` if it gives none. */
export function jsonSchemaOf(schema: StandardSchema): JsonSchema | undefined {
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const made = schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  if (made !== undefined) converted.set(schema, Object.freeze(made));
  return made;
}

export function isStandardSchema(schema: unknown): schema is StandardSchema {
  const isCarrier = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  return isCarrier && "~standard" in schema;
}
