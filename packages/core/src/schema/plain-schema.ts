import type { JsonSchema } from "../contract/call/schema-type.ts";
import { isRecord } from "../contract/values/is-record.ts";

/** Whether a value certainly fits. `false` only means that the engine must decide. */
export type FitsPlainly = (value: unknown) => boolean;

/**
 * A quick check for the schemas that most tools have; `undefined` for a schema with any keyword that is not known here,
 * or with defaults. A value that fits needs no engine, whose loading takes as long as starting Node; about any other the
 * engine decides and says what is wrong.
 */
export function plainSchema(schema: JsonSchema): FitsPlainly | undefined {
  const { $schema: _dialect, ...body } = schema;
  return understood(body) ? checkOf(body) : undefined;
}

const KINDS = ["string", "number", "integer", "boolean", "null", "array", "object"] as const;
type Kind = (typeof KINDS)[number];

/** A schema of which every keyword is known, and has a value of the right type. */
interface PlainSchema {
  readonly type?: Kind | readonly Kind[];
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: PlainSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, PlainSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | PlainSchema;
}

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => Number.isFinite(value);
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isKind = (value: unknown) => KINDS.includes(value as Kind);
const isPlainValue = (value: unknown) => value === null || typeof value !== "object";
const isAnything = () => true;
const isListOf = (is: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every(is);

const KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["title", isAnything],
  ["description", isAnything],
  ["examples", isAnything],
  ["type", (value) => isKind(value) || isListOf(isKind)(value)],
  ["enum", isListOf(isPlainValue)],
  ["minLength", isCount],
  ["maxLength", isCount],
  ["minimum", isNumber],
  ["maximum", isNumber],
  ["items", understood],
  ["minItems", isCount],
  ["maxItems", isCount],
  ["properties", areUnderstood],
  ["required", (value) => Array.isArray(value) && value.every(isText)],
  ["additionalProperties", (value) => typeof value === "boolean" || understood(value)],
]);

function understood(schema: unknown): schema is PlainSchema {
  return isRecord(schema) && Object.keys(schema).every((name) => KEYWORDS.get(name)?.(schema[name]) === true);
}

function areUnderstood(schemas: unknown): boolean {
  if (!isRecord(schemas)) return false;
  return Object.keys(schemas).every((name) => name !== "__proto__" && understood(schemas[name]));
}

function checkOf(schema: PlainSchema): FitsPlainly {
  const { type = KINDS, enum: allowed } = schema;
  const kinds: readonly Kind[] = typeof type === "string" ? [type] : type;
  const [fitsText, fitsNumber, fitsList, fitsObject] = [
    textCheck(schema),
    numberCheck(schema, kinds),
    kinds.includes("array") ? listCheck(schema) : NEVER,
    kinds.includes("object") ? objectCheck(schema) : NEVER,
  ];
  const [hasText, hasFlag, hasNull] = [
    kinds.includes("string"),
    kinds.includes("boolean"),
    kinds.includes("null"),
  ];
  return (value) => {
    if (allowed !== undefined && !allowed.includes(value)) return false;
    if (typeof value === "string") return hasText && fitsText(value);
    if (typeof value === "number") return fitsNumber(value);
    if (typeof value === "boolean") return hasFlag;
    if (value === null) return hasNull;
    if (Array.isArray(value)) return fitsList(value);
    return isRecord(value) && fitsObject(value);
  };
}

const NEVER = () => false;

/** Limits are for characters, of which a text has at least half as many as it has units of UTF-16. */
function textCheck({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: PlainSchema) {
  return (text: string) => text.length <= maxLength && text.length >= minLength * 2 - 1;
}

function numberCheck({ minimum, maximum }: PlainSchema, kinds: readonly Kind[]) {
  const { NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number;
  const [least, most] = [minimum ?? NEGATIVE_INFINITY, maximum ?? POSITIVE_INFINITY];
  const isKnown = kinds.includes("number")
    ? Number.isFinite
    : kinds.includes("integer")
      ? Number.isInteger
      : NEVER;
  return (value: number) => isKnown(value) && value >= least && value <= most;
}

function listCheck({ items, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: PlainSchema) {
  const fits = items === undefined ? isAnything : checkOf(items);
  return (list: readonly unknown[]) => list.length >= minItems && list.length <= maxItems && list.every(fits);
}

function objectCheck({ properties = {}, required = [], additionalProperties = true }: PlainSchema) {
  const fields = new Map(Object.entries(properties).map(([name, field]) => [name, checkOf(field)]));
  const others =
    additionalProperties === true
      ? isAnything
      : additionalProperties === false
        ? NEVER
        : checkOf(additionalProperties);
  return (value: Readonly<Record<string, unknown>>) => {
    for (const name of required) if (!Object.hasOwn(value, name) || value[name] === undefined) return false;
    for (const name in value) if (!(fields.get(name) ?? others)(value[name])) return false;
    return true;
  };
}
