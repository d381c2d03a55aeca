/** What a keyword contains: other schemas, or a value of a certain kind. */
export type Keyword = "schema" | "schemas" | "schema map" | ((value: unknown) => boolean);

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => Number.isFinite(value);
const isFlag = (value: unknown) => typeof value === "boolean";
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isPositive = (value: unknown) => typeof value === "number" && value > 0;
const isChoice = (value: unknown) => Array.isArray(value) && value.length > 0;
const isNames = (value: unknown) => Array.isArray(value) && value.every(isText);

const TYPES = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

function isType(value: unknown): boolean {
  const names: unknown[] = Array.isArray(value) ? value : [value];
  return names.length > 0 && names.every((name) => TYPES.has(name as string));
}

/**
 * The supported keywords, with what they may contain. Any other keyword or value is omitted: the server has the final
 * decision on what it accepts.
 */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ...named("schema", ["items", "additionalProperties", "not", "if", "then", "else", "contains"]),
  ...named("schema", ["propertyNames", "unevaluatedItems", "unevaluatedProperties"]),
  ...named("schemas", ["allOf", "prefixItems"]),
  ...named("schema map", ["properties", "patternProperties", "dependentSchemas"]),
  ...named(isText, ["title", "description", "format", "contentEncoding", "contentMediaType"]),
  ...named(isNumber, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]),
  ...named(isCount, ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]),
  ...named(isCount, ["minContains", "maxContains"]),
  ...named(isFlag, ["uniqueItems", "deprecated"]),
  ...named(isPositive, ["multipleOf"]),
  ...named(isChoice, ["enum"]),
  ...named(isNames, ["required"]),
  ...named(isText, ["pattern"]),
  ...named(isType, ["type"]),
  ...named(() => true, ["const"]),
]);

/** Keywords whose schemas apply to the same value again, in addition to `anyOf` and `oneOf`. */
export const IN_PLACE: ReadonlySet<string> = new Set([
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);

function named(keyword: Keyword, names: readonly string[]): [string, Keyword][] {
  return names.map((name) => [name, keyword]);
}
