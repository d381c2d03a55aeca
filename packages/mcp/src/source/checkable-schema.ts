import type { JsonSchema } from "@toolkeep/core";
import { harmlessText, isRecord, isUsablePattern } from "@toolkeep/core/internal";

/** A schema that arguments can be validated against, and what was left out of it. */
export interface CheckableSchema {
  readonly schema: JsonSchema;
  /** Patterns that cannot be matched safely here: the server checks them. */
  readonly leftOut: readonly string[];
}

/** Deeper schemas are refused at registration. */
const DEEPEST = 100;
const MOST_NAMED = 3;
const LONGEST_NAMED = 200;

/**
 * Removes the patterns that cannot be matched in linear time, so that the tool can still be called. The remaining
 * schema accepts at least as much as before: keywords that would reject more because of the removal go as well.
 */
export function checkableSchema(schema: JsonSchema): CheckableSchema {
  const leftOut = new Set<string>();
  const weaker = weakened(schema, leftOut, 0) as JsonSchema;
  return leftOut.size === 0 ? { schema, leftOut: [] } : { schema: weaker, leftOut: [...leftOut] };
}

/** For the description of a tool: which patterns are not checked here. */
export function leftOutMessage(leftOut: readonly string[]): string {
  if (leftOut.length === 0) return "";
  const named = leftOut.slice(0, MOST_NAMED).map((pattern) => {
    const shown = harmlessText(pattern);
    return shown.length > LONGEST_NAMED ? `${shown.slice(0, LONGEST_NAMED)}…` : shown;
  });
  const more = leftOut.length > named.length ? ` and ${leftOut.length - named.length} more` : "";
  return `\n(The server itself validates arguments against ${named.join(" , ")}${more}.)`;
}

/** Negations and exclusive choices: with a weaker schema inside they would reject more. */
const REFUSING: ReadonlySet<string> = new Set([
  ...["not", "if", "then", "else", "maxContains", "unevaluatedItems", "unevaluatedProperties"],
]);
const ONE: ReadonlySet<string> = new Set([
  ...["items", "additionalProperties", "additionalItems", "contains", "propertyNames"],
]);
const LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
const MAPS: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
]);

function weakened(schema: unknown, leftOut: Set<string>, depth: number): unknown {
  if (!isRecord(schema) || depth > DEEPEST) return schema;
  const made: Record<string, unknown> = {};
  const inner = (value: unknown) => weakened(value, leftOut, depth + 1);
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "pattern" && isUnusable(value, leftOut)) continue;
    if (REFUSING.has(keyword)) {
      // Traversed as well: a pattern in it would make the schema unusable.
      inner(value);
      continue;
    }
    if (keyword === "oneOf" && Array.isArray(value))
      made["allOf"] = [...listOf(made["allOf"]), { anyOf: value.map(inner) }];
    else if (keyword === "allOf") made["allOf"] = [...listOf(made["allOf"]), ...listOf(value).map(inner)];
    else if (LISTS.has(keyword) && Array.isArray(value)) made[keyword] = value.map(inner);
    else if (ONE.has(keyword)) made[keyword] = inner(value);
    else if (MAPS.has(keyword) && isRecord(value)) made[keyword] = mapped(keyword, value, inner, leftOut);
    else made[keyword] = value;
  }
  return withoutClosedNames(made, schema);
}

function mapped(
  keyword: string,
  schemas: Readonly<Record<string, unknown>>,
  inner: (value: unknown) => unknown,
  leftOut: Set<string>,
): Record<string, unknown> {
  const kept = Object.entries(schemas).filter(
    ([name]) => keyword !== "patternProperties" || !isUnusable(name, leftOut),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, inner(value)]));
}

/** Names that a removed pattern accepted would be treated as additional properties. */
function withoutClosedNames(
  made: Record<string, unknown>,
  before: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const namesOf = (schema: Readonly<Record<string, unknown>>) =>
    Object.keys(isRecord(schema["patternProperties"]) ? schema["patternProperties"] : {}).length;
  if (namesOf(made) === namesOf(before)) return made;
  const { additionalProperties: _closed, ...open } = made;
  return open;
}

function isUnusable(pattern: unknown, leftOut: Set<string>): boolean {
  // A pattern that is not a string is refused at registration.
  if (typeof pattern !== "string" || isUsablePattern(pattern)) return false;
  leftOut.add(pattern);
  return true;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
