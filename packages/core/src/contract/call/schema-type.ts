/** A JSON Schema, kept as the plain object its author wrote. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The part of Standard Schema (version 1) that Toolkeep relies on. Zod, Valibot and ArkType satisfy it as they are. */
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

/**
 * The TypeScript type of the values a literal JSON Schema accepts. What it does not understand
 * (references, conditionals, patterns of property names) is `unknown`, never wrong.
 */
type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Option)[] }
      ? FromJsonSchema<Option>
      : S extends { readonly oneOf: readonly (infer Option)[] }
        ? FromJsonSchema<Option>
        : S extends { readonly type: readonly (infer Name)[] }
          ? OfType<Name, S>
          : S extends { readonly type: infer Name }
            ? OfType<Name, S>
            : unknown;

type OfType<Name, S> = Name extends "string"
  ? string
  : Name extends "number" | "integer"
    ? number
    : Name extends "boolean"
      ? boolean
      : Name extends "null"
        ? null
        : Name extends "array"
          ? ArrayOf<S>
          : Name extends "object"
            ? ObjectOf<S>
            : unknown;

type ArrayOf<S> = S extends { readonly prefixItems: infer Items extends readonly unknown[] }
  ? { -readonly [Index in keyof Items]: FromJsonSchema<Items[Index]> }
  : S extends { readonly items: infer Item }
    ? FromJsonSchema<Item>[]
    : unknown[];

type ObjectOf<S> = S extends { readonly properties: infer Properties }
  ? Flatten<
      { -readonly [Key in keyof Properties & Present<S>]: FromJsonSchema<Properties[Key]> } & {
        -readonly [Key in Exclude<keyof Properties, Present<S>>]?: FromJsonSchema<Properties[Key]>;
      }
    >
  : Record<string, unknown>;

/** A property with a default is always there when the tool sees it. */
type Present<S> = Required<S> | WithDefault<S>;

type Required<S> = S extends { readonly required: readonly (infer Key)[] } ? Key : never;

type WithDefault<S> = S extends { readonly properties: infer Properties }
  ? {
      [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never;
    }[keyof Properties]
  : never;

type Flatten<T> = { [Key in keyof T]: T[Key] } & {};
