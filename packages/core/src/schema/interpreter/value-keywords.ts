import { fullFormats } from "ajv-formats/dist/formats.js";
import { isRecord } from "../../contract/values/is-record.ts";
import { canonicalJson } from "../../contract/values/json-text.ts";
import { fail, type Keyword, type KeywordUse } from "./evaluation.ts";

/** Keywords about numbers, texts and whole values. */
export const VALUE_KEYWORDS: Readonly<Record<string, Keyword>> = {
  type(use) {
    const types = typesOf(use);
    if (!types.some((type) => isOfType(use.position.data, type)))
      fail(use, "type", { type: types.length === 1 ? types[0] : types });
  },
  enum(use) {
    const { value, position } = use;
    const allowed = (value as readonly unknown[]).map(canonicalJson);
    if (!allowed.includes(canonicalJson(position.data))) fail(use, "enum", { allowedValues: value });
  },
  const(use) {
    if (canonicalJson(use.value) !== canonicalJson(use.position.data))
      fail(use, "const", { allowedValue: use.value });
  },
  minimum: limit((data, bound) => data >= bound, ">="),
  maximum: limit((data, bound) => data <= bound, "<="),
  exclusiveMinimum: limit((data, bound) => data > bound, ">"),
  exclusiveMaximum: limit((data, bound) => data < bound, "<"),
  multipleOf(use) {
    const { data } = use.position;
    const unit = use.value as number;
    if (typeof data !== "number") return;
    const times = data / unit;
    // The same meaning as in the compiled form, also where a number is written with an exponent.
    if (times !== Number.parseInt(String(times), 10))
      fail(use, "multipleOf", { multipleOf: unit }, `must be multiple of ${unit}`);
  },
  minLength(use) {
    const { data } = use.position;
    if (typeof data === "string" && [...data].length < (use.value as number))
      fail(use, "minLength", {}, `must NOT have fewer than ${String(use.value)} characters`);
  },
  maxLength(use) {
    const { data } = use.position;
    if (typeof data === "string" && [...data].length > (use.value as number))
      fail(use, "maxLength", {}, `must NOT have more than ${String(use.value)} characters`);
  },
  pattern(use) {
    const { data } = use.position;
    if (typeof data === "string" && !use.interpreter.pattern(String(use.value)).test(data))
      fail(use, "pattern", { pattern: use.value });
  },
  format(use) {
    if (!isOfFormat(use.position.data, String(use.value)))
      fail(use, "format", { format: use.value }, `must match format "${String(use.value)}"`);
  },
};

/** `nullable` is OpenAPI's; the compiled form knows it too. */
function typesOf({ value, schema }: KeywordUse): readonly string[] {
  const types = (Array.isArray(value) ? value : [value]) as readonly string[];
  return schema["nullable"] === true && !types.includes("null") ? [...types, "null"] : types;
}

function isOfType(data: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return data === null;
    case "array":
      return Array.isArray(data);
    case "object":
      return isRecord(data);
    case "integer":
      return Number.isFinite(data) && (data as number) % 1 === 0;
    case "number":
      return Number.isFinite(data);
    default:
      return typeof data === type;
  }
}

function limit(holds: (data: number, bound: number) => boolean, sign: string): Keyword {
  return (use) => {
    const { data } = use.position;
    if (typeof data === "number" && !holds(data, use.value as number))
      fail(use, "limit", {}, `must be ${sign} ${String(use.value)}`);
  };
}

type Format = (typeof fullFormats)[keyof typeof fullFormats];

/** Whether data is of a format. Formats that are not known, and those of other types than the data, always hold. */
function isOfFormat(data: unknown, name: string): boolean {
  if (name === "url") return typeof data !== "string" || URL.canParse(data);
  if (!Object.hasOwn(fullFormats, name)) return true;
  const format = fullFormats[name as keyof typeof fullFormats] as Format;
  if (typeof format === "boolean" || typeof format === "string") return true;
  if (format instanceof RegExp) return typeof data !== "string" || format.test(data);
  if (typeof format === "function") return typeof data !== "string" || Boolean(format(data));
  return holds(data, format);
}

/** A format with a type of its own, or with an order. */
function holds(data: unknown, format: object): boolean {
  const { type = "string", validate } = format as {
    readonly type?: "string" | "number";
    readonly validate: RegExp | ((data: never) => unknown) | string | boolean;
  };
  if (typeof data !== type) return true;
  if (validate instanceof RegExp) return validate.test(String(data));
  return typeof validate !== "function" || Boolean(validate(data as never));
}
