/**
 * The TypeScript type of the values a literal JSON Schema accepts. What it does not understand
 * (references, conditionals, patterns of property names) is `unknown`, never wrong.
 */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
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
