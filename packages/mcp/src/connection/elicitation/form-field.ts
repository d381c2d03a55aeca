import type { JsonSchema } from "@toolkeep/core";
import { harmlessText, isRecord } from "@toolkeep/core/internal";
import { serverText } from "../requests/request-failure.ts";

/** One field of a server's form. */
export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly default: FieldValue | undefined;
  readonly kind: FieldKind;
  /** The schema for forms in other clients: as the server wrote it, reduced to allowed keywords and bounded. */
  readonly schema: JsonSchema;
}

export type FieldValue = string | number | boolean | string[];

type FieldKind =
  | { readonly type: "text"; readonly isPassword: boolean; readonly least: number; readonly most: number }
  | { readonly type: "number"; readonly isWhole: boolean; readonly least: number; readonly most: number }
  | { readonly type: "yes-or-no" }
  | { readonly type: "one-of"; readonly choices: readonly Choice[] }
  | {
      readonly type: "some-of";
      readonly choices: readonly Choice[];
      readonly least: number;
      readonly most: number;
    };

export interface Choice {
  readonly value: string;
  readonly label: string;
}

const MOST_FIELDS = 20;
const MOST_CHOICES = 100;
const LONGEST_NAME = 200;

const LONGEST_TITLE = 200;
const NUMBERS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;

/** The fields of a form; `undefined` for a form that cannot be shown. */
export function formFields(schema: unknown): readonly FormField[] | undefined {
  if (!isRecord(schema)) return undefined;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(textsIn(schema["required"]));
  const entries = Object.entries(properties);
  if (entries.length > MOST_FIELDS) return undefined;
  const fields = entries.map(([name, property]) => fieldOf(name, property, required.has(name)));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function fieldOf(name: string, property: unknown, isRequired: boolean): FormField | undefined {
  if (!isRecord(property) || !isShowable(name)) return undefined;
  const kind = kindOf(property);
  if (kind === undefined) return undefined;
  const byDefault = defaultOf(property["default"], kind);
  return {
    ...{ name, kind, isRequired, default: byDefault },
    title: textOf(property["title"]) ?? name,
    description: textOf(property["description"]) ?? "",
    schema: fieldSchema(property, byDefault),
  };
}

/** The name is shown as it is, and is returned as it was. */
function isShowable(text: string): boolean {
  return text.length <= LONGEST_NAME && harmlessText(text) === text;
}

function kindOf(property: Record<string, unknown>): FieldKind | undefined {
  switch (property["type"]) {
    case "boolean":
      return { type: "yes-or-no" };
    case "number":
    case "integer":
      return {
        type: "number",
        isWhole: property["type"] === "integer",
        ...boundsOf(property, "minimum", "maximum"),
      };
    case "array": {
      const choices = choicesIn(property["items"]);
      if (choices === undefined) return undefined;
      return { type: "some-of", choices, ...boundsOf(property, "minItems", "maxItems") };
    }
    case "string": {
      const choices = choicesIn(property);
      if (choices !== undefined) return { type: "one-of", choices };
      if ("enum" in property || "oneOf" in property) return undefined;
      const isPassword = property["format"] === "password" || property["writeOnly"] === true;
      return { type: "text", isPassword, ...boundsOf(property, "minLength", "maxLength") };
    }
    default:
      return undefined;
  }
}

/** Three ways to write choices: values alone, values with names, or pairs. */
function choicesIn(schema: unknown): readonly Choice[] | undefined {
  if (!isRecord(schema)) return undefined;
  const pairs = schema["oneOf"] ?? schema["anyOf"];
  const choices = Array.isArray(pairs)
    ? pairs
        .filter(isRecord)
        .map((pair) => ({ value: textOf(pair["const"]) ?? "", title: textOf(pair["title"]) }))
    : textsIn(schema["enum"]).map((value, at) => ({ value, title: textsIn(schema["enumNames"])[at] }));
  if (choices.length === 0 || choices.length > MOST_CHOICES) return undefined;
  if (!choices.every(({ value }) => isShowable(value))) return undefined;
  const titles = new Map(choices.map(({ value, title }) => [title ?? value, value]));
  // Ambiguous titles are not used: neither duplicates, nor a title that is another choice's value.
  const areTold =
    titles.size === choices.length && choices.every(({ value }) => (titles.get(value) ?? value) === value);
  return choices.map(({ value, title }) => ({ value, label: areTold ? (title ?? value) : value }));
}

function defaultOf(value: unknown, kind: FieldKind): FieldValue | undefined {
  switch (kind.type) {
    case "yes-or-no":
      return typeof value === "boolean" ? value : undefined;
    case "number":
      return typeof value === "number" ? value : undefined;
    case "some-of":
      return Array.isArray(value)
        ? textsIn(value).filter((one) => kind.choices.some((choice) => choice.value === one))
        : undefined;
    case "one-of":
      return kind.choices.find((choice) => choice.value === value)?.value;
    case "text":
      return typeof value === "string" && harmlessText(value) === value ? value : undefined;
  }
}

function boundsOf(property: Record<string, unknown>, least: string, most: string) {
  const low = property[least];
  const high = property[most];
  return {
    least: typeof low === "number" ? low : Number.NEGATIVE_INFINITY,
    most: typeof high === "number" ? high : Number.POSITIVE_INFINITY,
  };
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The schema of a form's field, reduced to the keywords that are allowed there. */
function fieldSchema(property: Readonly<Record<string, unknown>>, byDefault: unknown): JsonSchema {
  const { type, title, description, format } = property;
  const numbers = NUMBERS.filter((name) => typeof property[name] === "number");
  return {
    type,
    ...(typeof title === "string" ? { title: shortened(title) } : {}),
    ...(typeof description === "string" ? { description: serverText(description) } : {}),
    ...(typeof format === "string" ? { format: shortened(format) } : {}),
    ...Object.fromEntries(numbers.map((name) => [name, property[name]])),
    ...choicesOf(property),
    ...itemsOf(property["items"]),
    ...(byDefault === undefined ? {} : { default: byDefault }),
  };
}

function itemsOf(items: unknown): JsonSchema {
  if (typeof items !== "object" || items === null) return {};
  const { type } = items as { type?: unknown };
  return {
    items: { ...(type === "string" ? { type } : {}), ...choicesOf(items as Record<string, unknown>) },
  };
}

/** Values alone, values with names, or pairs: as the server wrote it. */
function choicesOf(schema: Readonly<Record<string, unknown>>): JsonSchema {
  const pairs = (["oneOf", "anyOf"] as const).find((name) => Array.isArray(schema[name]));
  if (pairs !== undefined) return { [pairs]: (schema[pairs] as readonly unknown[]).flatMap(pairOf) };
  const { enum: values, enumNames: names } = schema;
  if (!Array.isArray(values)) return {};
  return {
    enum: values.filter(isText),
    ...(Array.isArray(names) ? { enumNames: names.filter(isText).map(shortened) } : {}),
  };
}

function pairOf(pair: unknown): readonly JsonSchema[] {
  const { const: value, title } = (pair ?? {}) as { const?: unknown; title?: unknown };
  return isText(value) ? [{ const: value, title: shortened(isText(title) ? title : value) }] : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function shortened(text: string): string {
  return serverText(text).slice(0, LONGEST_TITLE);
}
