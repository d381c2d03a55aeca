import type { JsonSchema } from "@toolkeep/core";
import { findPointer } from "../document/find-pointer.ts";
import { isObject, type JsonObject, own, ownText } from "../document/json-object.ts";
import { localReference } from "../document/resolve-reference.ts";
import { shownText } from "../document/shown-text.ts";

/** Whether a schema describes a request or a response. */
export type Direction = "request" | "response";

export interface ConvertedSchema {
  readonly schema: JsonSchema | boolean;
  /** The references in it, as written in the document. */
  readonly uses: ReadonlySet<string>;
  /** Those that apply to the same value. */
  readonly inPlace: ReadonlySet<string>;
}

export interface Conversion {
  readonly document: JsonObject;
  readonly direction: Direction;
  /** The name of a definition in the new schema. */
  nameOf(reference: string): string;
  /** Whether values are matched against a pattern here; others are left to the server. */
  isMatched(pattern: string): boolean;
}

/** A document's schema as JSON Schema with `$defs`. @throws Unreadable for a reference that leaves the document. */
export function convertSchema(schema: unknown, conversion: Conversion): ConvertedSchema {
  const converter = new Converter(conversion);
  return { schema: converter.convert(schema, true), uses: converter.uses, inPlace: converter.inPlace };
}

type Made = JsonSchema | boolean;

class Converter {
  readonly uses = new Set<string>();
  readonly inPlace = new Set<string>();
  readonly #conversion: Conversion;

  constructor(conversion: Conversion) {
    this.#conversion = conversion;
  }

  convert(given: unknown, isInPlace: boolean): Made {
    if (typeof given === "boolean") return given;
    if (!isObject(given)) return {};
    const made: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(given)) {
      const taken = this.#take(keyword, value, isInPlace && IN_PLACE.has(keyword));
      if (taken !== undefined) made.push([keyword, taken]);
    }
    const reference = ownText(given, "$ref");
    if (reference !== undefined) made.push(["$ref", this.#refer(reference, isInPlace)]);
    this.#addChoices(made, given, isInPlace);
    return this.#withoutHidden(withNote(Object.fromEntries(made), this.#noteOf(given)), given);
  }

  #take(keyword: string, value: unknown, isInPlace: boolean): unknown {
    const holds = KEYWORDS.get(keyword);
    if (holds === undefined) return undefined;
    if (holds === "schema") return isSchema(value) ? this.convert(value, isInPlace) : undefined;
    if (holds === "schemas") {
      const list = schemasIn(value);
      return list.length === 0 ? undefined : list.map((inner) => this.convert(inner, isInPlace));
    }
    if (holds === "schema map") {
      if (!isObject(value)) return undefined;
      const isKept = (name: string) => keyword !== "patternProperties" || this.#conversion.isMatched(name);
      const kept = Object.entries(value).filter(([name]) => isKept(name));
      return Object.fromEntries(kept.map(([name, inner]) => [name, this.convert(inner, isInPlace)]));
    }
    if (!holds(value)) return undefined;
    if (keyword === "pattern" && !this.#conversion.isMatched(value as string)) return undefined;
    return typeof value === "string" && TEXTS.has(keyword) ? shownText(value) : value;
  }

  #refer(reference: string, isInPlace: boolean): string {
    const local = localReference(reference);
    this.uses.add(local);
    if (isInPlace) this.inPlace.add(local);
    return `#/$defs/${this.#conversion.nameOf(local)}`;
  }

  /**
   * `oneOf` becomes `anyOf`: documents use it for overlapping alternatives, and would then accept no value at all.
   * If both are present, both apply.
   */
  #addChoices(made: [string, unknown][], given: JsonObject, isInPlace: boolean): void {
    const kinds = kindsOf(own(given, "discriminator"));
    const [first, second] = [own(given, "anyOf"), own(given, "oneOf")]
      .map(schemasIn)
      .filter((list) => list.length > 0)
      .map((list) => list.map((one) => this.#withKind(this.convert(one, isInPlace), one, kinds)));
    if (first !== undefined) made.push(["anyOf", first]);
    if (second === undefined) return;
    const before = made.find(([keyword]) => keyword === "allOf")?.[1];
    made.push(["allOf", [...(Array.isArray(before) ? before : []), { anyOf: second }]]);
  }

  /** A discriminator names the alternative by a property that its schema does not always declare. */
  #withKind(made: Made, alternative: unknown, kinds: Kinds | undefined): Made {
    const reference = ownText(alternative, "$ref");
    if (typeof made === "boolean" || kinds === undefined || reference === undefined) return made;
    const { name, byReference } = kinds;
    const kind = byReference.get(reference);
    const target = findPointer(this.#conversion.document, reference);
    const isDeclared = own(own(target, "properties"), name) !== undefined;
    if (kind === undefined || isDeclared || this.#conversion.direction === "response") return made;
    return { ...made, properties: { [name]: { const: kind } }, required: [name] };
  }

  /** Read-only properties are not sent; write-only properties do not come back. */
  #withoutHidden(made: JsonSchema, given: JsonObject): JsonSchema {
    const properties = own(given, "properties");
    if (!isObject(properties) || !isObject(made["properties"])) return made;
    const mark = this.#conversion.direction === "request" ? "readOnly" : "writeOnly";
    const hidden = new Set(Object.keys(properties).filter((name) => this.#isMarked(properties[name], mark)));
    if (hidden.size === 0) return made;
    const kept = Object.entries(made["properties"]).filter(([name]) => !hidden.has(name));
    const required = Array.isArray(made["required"])
      ? { required: made["required"].filter((name) => !hidden.has(name as string)) }
      : {};
    return { ...made, properties: Object.fromEntries(kept), ...required };
  }

  /**
   * Keywords that become text. A default is not filled in: that would send values that the caller did not choose, and a PATCH would
   * change what it was not asked to. A pattern that is not matched here is left to the server.
   */
  #noteOf(given: JsonObject): string {
    const value = own(given, "default");
    const pattern = ownText(given, "pattern");
    const isSayable = value !== undefined && value !== null && typeof value !== "object";
    const isSaid = pattern !== undefined && !this.#conversion.isMatched(pattern);
    return [
      ...(isSayable ? [`Default: ${shownText(JSON.stringify(value), 100)}.`] : []),
      ...(isSaid ? [`Must match ${shownText(pattern, 200)}`] : []),
    ].join(" ");
  }

  #isMarked(property: unknown, mark: string): boolean {
    if (own(property, mark) === true) return true;
    const reference = ownText(property, "$ref");
    if (reference?.startsWith("#/") !== true) return false;
    return own(findPointer(this.#conversion.document, reference), mark) === true;
  }
}

/** The discriminator property, and its value for each alternative. */
interface Kinds {
  readonly name: string;
  readonly byReference: ReadonlyMap<string, string>;
}

function kindsOf(discriminator: unknown): Kinds | undefined {
  const name = ownText(discriminator, "propertyName");
  const mapping = own(discriminator, "mapping");
  if (name === undefined || !isObject(mapping)) return undefined;
  const byReference = new Map<string, string>();
  // The first that resolves is used.
  for (const [kind, target] of Object.entries(mapping).toReversed()) {
    byReference.set(`#/components/schemas/${target}`, kind);
    byReference.set(String(target), kind);
  }
  return { name, byReference };
}

const TEXTS = new Set(["title", "description"]);

function withNote(made: JsonSchema, text: string): JsonSchema {
  if (text === "") return made;
  const before = made["description"];
  return { ...made, description: typeof before === "string" && before !== "" ? `${before} ${text}` : text };
}

function isSchema(value: unknown): boolean {
  return typeof value === "boolean" || isObject(value);
}

function schemasIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** What a keyword contains: other schemas, or a value of a certain kind. */
type Keyword = "schema" | "schemas" | "schema map" | ((value: unknown) => boolean);

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

/** The supported keywords, with what they may contain. What is omitted, the server has the final decision on. */
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
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
const IN_PLACE: ReadonlySet<string> = new Set(["allOf", "not", "if", "then", "else", "dependentSchemas"]);

function named(keyword: Keyword, names: readonly string[]): [string, Keyword][] {
  return names.map((name) => [name, keyword]);
}
