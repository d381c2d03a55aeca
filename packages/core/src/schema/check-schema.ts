import type { JsonSchema } from "../contract/call/schema-type.ts";
import { isRecord } from "../contract/values/is-record.ts";
import { unlessThrown } from "../contract/values/unless-thrown.ts";
import { splitPattern } from "./patterns/safe-pattern.ts";

/** What is wrong with a schema, and where. */
export interface SchemaError {
  readonly path: string;
  readonly diagnostic: string;
}

const DEEPEST = 64;
const MOST_NODES = 20_000;
const LONGEST_PATTERN = 4_000;
const MOST_CHECKS = 10_000;

type Check = (value: unknown, path: string, walk: Walk) => string | undefined;

interface Walk {
  readonly root: JsonSchema;
  readonly errors: SchemaError[];
  readonly queue: { readonly schema: unknown; readonly path: string; readonly depth: number }[];
  depth: number;
}

/** Checks a JSON Schema (2020-12 or draft-07) without compiling it: cheap enough for every registration. */
export function checkSchema(schema: JsonSchema): readonly SchemaError[] {
  const walk: Walk = { root: schema, errors: [], queue: [{ schema, path: "", depth: 0 }], depth: 0 };
  for (let index = 0; index < walk.queue.length && walk.errors.length < 20; index += 1) {
    const node = walk.queue[index];
    if (node === undefined) break;
    if (index >= MOST_NODES)
      return [{ path: node.path, diagnostic: `the schema has more than ${MOST_NODES} parts` }];
    if (node.depth > DEEPEST)
      return [{ path: node.path, diagnostic: `nested deeper than ${DEEPEST} levels` }];
    walk.depth = node.depth;
    checkNode(node.schema, node.path, walk);
  }
  if (walk.errors.length === 0 && inPlaceCost(schema, MOST_CHECKS) > MOST_CHECKS) {
    return [{ path: "", diagnostic: `one value would be checked more than ${MOST_CHECKS} times` }];
  }
  return walk.errors;
}

/** What a model fills in must be an object. */
export function checkInputSchema(schema: JsonSchema): readonly SchemaError[] {
  const errors = checkSchema(schema);
  if (errors.length > 0 || schema["type"] === "object") return errors;
  return [{ path: "/type", diagnostic: 'arguments are an object: the schema needs `type: "object"`' }];
}

function checkNode(schema: unknown, path: string, walk: Walk): void {
  if (typeof schema === "boolean") return;
  if (!isRecord(schema)) {
    walk.errors.push({ path, diagnostic: "a schema must be an object or a boolean" });
    return;
  }
  for (const keyword of Object.keys(schema)) {
    const diagnostic = CHECKS[keyword]?.(schema[keyword], `${path}/${keyword}`, walk);
    if (diagnostic !== undefined) walk.errors.push({ path: `${path}/${keyword}`, diagnostic });
  }
}

const isRefused: Check = () => "is not part of JSON Schema, and would switch the check off";
const isText: Check = (value) => (typeof value === "string" ? undefined : "must be a string");
const isNumber: Check = (value) => (Number.isFinite(value) ? undefined : "must be a number");
const isFlag: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false");
const isCount: Check = (value) =>
  Number.isInteger(value) && (value as number) >= 0 ? undefined : "must be a whole number, 0 or more";
const isPositive: Check = (value) =>
  typeof value === "number" && value > 0 ? undefined : "must be a number above 0";
const isList: Check = (value) => (Array.isArray(value) ? undefined : "must be a list");

const isNames: Check = (value) =>
  Array.isArray(value) && value.every((name) => typeof name === "string")
    ? undefined
    : "must be a list of names";

const isSchema: Check = (value, path, walk) => {
  walk.queue.push({ schema: value, path, depth: walk.depth + 1 });
  return undefined;
};

const isSchemaList: Check = (value, path, walk) => {
  if (!Array.isArray(value) || value.length === 0) return "must be a list of at least one schema";
  for (const [index, inner] of value.entries()) isSchema(inner, `${path}/${index}`, walk);
  return undefined;
};

const isSchemaMap: Check = (value, path, walk) => {
  if (!isRecord(value)) return "must be an object of schemas";
  for (const key of Object.keys(value)) isSchema(value[key], `${path}/${key}`, walk);
  return undefined;
};

/** The older dialects have a list of schemas where 2020-12 has `prefixItems`. */
const isItems: Check = (value, path, walk) => {
  if (!Array.isArray(value)) return isSchema(value, path, walk);
  const isOlder = /draft-0[4-7]/.test(String(walk.root["$schema"] ?? ""));
  return isOlder ? isSchemaList(value, path, walk) : "must be one schema; a list goes into prefixItems";
};

const isDependencies: Check = (value, path, walk) => {
  if (!isRecord(value)) return "must be an object";
  for (const key of Object.keys(value)) {
    if (!Array.isArray(value[key])) isSchema(value[key], `${path}/${key}`, walk);
  }
  return undefined;
};

const isPattern: Check = (value) => {
  if (typeof value !== "string") return "must be a string";
  if (value.length > LONGEST_PATTERN) return `must be at most ${LONGEST_PATTERN} characters`;
  if (unlessThrown(() => new RegExp(value, "u")) === undefined) return "is not a regular expression";
  const split = splitPattern(value);
  return "refused" in split ? `is refused: ${split.refused}` : undefined;
};

const isPatternMap: Check = (value, path, walk) => {
  if (!isRecord(value)) return "must be an object of schemas";
  const invalid = Object.keys(value).find((pattern) => isPattern(pattern, path, walk) !== undefined);
  if (invalid !== undefined) return `the name ${JSON.stringify(invalid)} ${isPattern(invalid, path, walk)}`;
  return isSchemaMap(value, path, walk);
};

const TYPES = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

const isType: Check = (value) => {
  const names = Array.isArray(value) ? value : [value];
  const good = names.length > 0 && names.every((name) => TYPES.has(name as string));
  return good ? undefined : `must be one of ${[...TYPES].join(", ")}, or a list of them`;
};

const isReference: Check = (value, _path, walk) => {
  if (typeof value !== "string") return "must be a string";
  if (!value.startsWith("#")) return "must stay inside the schema: nothing is fetched";
  return value === "#" || !value.startsWith("#/") || resolves(value, walk.root)
    ? undefined
    : `points to ${value}, which is not there`;
};

function resolves(pointer: string, root: JsonSchema): boolean {
  let here: unknown = root;
  for (const part of pointer.slice(2).split("/")) {
    const key = decodePart(part);
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return false;
    here = (here as Record<string, unknown>)[key];
  }
  return true;
}

function decodePart(part: string): string {
  return unlessThrown(() => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")) ?? part;
}

const CHECKS: Readonly<Record<string, Check>> = Object.assign(Object.create(null) as Record<string, Check>, {
  ...all(isRefused, "$async"),
  ...all(isText, "$id", "$schema", "$anchor", "$dynamicAnchor", "$comment", "title", "description", "format"),
  ...all(isNumber, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
  ...all(isCount, "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
  ...all(isCount, "minContains", "maxContains"),
  ...all(isFlag, "uniqueItems", "deprecated", "readOnly", "writeOnly"),
  ...all(isSchema, "additionalProperties", "additionalItems", "not", "if", "then", "else", "contains"),
  ...all(isSchema, "propertyNames", "unevaluatedItems", "unevaluatedProperties"),
  ...all(isSchemaMap, "properties", "$defs", "definitions", "dependentSchemas"),
  ...all(isSchemaList, "allOf", "anyOf", "oneOf", "prefixItems"),
  ...all(isReference, "$ref", "$dynamicRef"),
  ...all(isList, "enum", "examples"),
  ...all(isNames, "required"),
  ...all(isPatternMap, "patternProperties"),
  ...all(isDependencies, "dependencies"),
  ...all(isItems, "items"),
  ...all(isPattern, "pattern"),
  ...all(isPositive, "multipleOf"),
  ...all(isType, "type"),
});

function all(check: Check, ...keywords: string[]): Record<string, Check> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, check]));
}

/** Keywords whose schemas look at the same value again. */
const LISTS = ["allOf", "anyOf", "oneOf"] as const;
const SINGLES = ["not", "if", "then", "else"] as const;

/**
 * How many schemas one value is held against, at most. Two references to the same schema count twice,
 * as they cost twice: a short schema can make that grow without bounds.
 */
function inPlaceCost(root: JsonSchema, limit: number): number {
  const known = new Map<unknown, number>();

  function costOf(schema: unknown): number {
    if (typeof schema !== "object" || schema === null) return 1;
    const seen = known.get(schema);
    if (seen !== undefined) return seen;
    // A schema that leads back to itself without going deeper into the value is refused by its compiler.
    known.set(schema, 1);
    let cost = 1;
    for (const inner of innerOf(schema as JsonSchema, root)) {
      cost += costOf(inner);
      if (cost > limit) break;
    }
    known.set(schema, cost);
    return cost;
  }

  let worst = 0;
  const queue: unknown[] = [root];
  for (let index = 0; index < queue.length && worst <= limit; index += 1) {
    const node = queue[index];
    if (typeof node !== "object" || node === null) continue;
    if (!Array.isArray(node)) worst = Math.max(worst, costOf(node));
    queue.push(...Object.values(node));
  }
  return worst;
}

function innerOf(schema: JsonSchema, root: JsonSchema): unknown[] {
  const lists = LISTS.flatMap((keyword) =>
    Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]) : [],
  );
  const singles = SINGLES.map((keyword) => schema[keyword]).filter((inner) => inner !== undefined);
  const reference = schema["$ref"];
  return [...lists, ...singles, ...(typeof reference === "string" ? [pointed(reference, root)] : [])];
}

function pointed(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith("#/")) return reference === "#" ? root : undefined;
  let here: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    here = (here as Record<string, unknown> | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return here;
}
