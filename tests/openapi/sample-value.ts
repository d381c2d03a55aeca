import fc from "fast-check";

type SampleSchema = Readonly<Record<string, unknown>>;

/** Finds what a reference in a schema points to. */
export type Lookup = (reference: string) => unknown;

const DEEPEST = 6;

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2024-05-06T07:08:09Z",
  date: "2024-05-06",
  time: "07:08:09Z",
  uuid: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  email: "rex@example.com",
  uri: "https://example.com/rex",
  url: "https://example.com/rex",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

/** A value that a schema should take: what is required, and what is optional as long as it is not deep. */
export function sampleValue(schema: unknown, lookup: Lookup, depth = 0): unknown {
  const whole = merged(schema, lookup);
  if ("const" in whole) return whole["const"];
  if (Array.isArray(whole["enum"])) return whole["enum"].find((value) => value !== null) ?? null;
  const type = typeOf(whole);
  if (type === "object") return sampleObject(whole, lookup, depth);
  if (type === "array") return sampleList(whole, lookup, depth);
  if (type === "string") return sampleText(whole);
  if (type === "number" || type === "integer") return sampleNumber(whole);
  return type === "boolean" ? true : type === "null" ? null : "anything";
}

/** The schema with what it refers to, all of its parts and the first of its choices, as one. */
function merged(schema: unknown, lookup: Lookup, steps = 0): SampleSchema {
  if (typeof schema !== "object" || schema === null || steps > 50) return {};
  const { $ref, allOf, anyOf, oneOf, ...rest } = schema as SampleSchema;
  const choice = [...asList(anyOf), ...asList(oneOf)].find(
    (one) => merged(one, lookup, steps + 1)["type"] !== "null",
  );
  const parts = [
    ...(typeof $ref === "string" ? [lookup($ref)] : []),
    ...asList(allOf),
    ...(choice === undefined ? [] : [choice]),
  ];
  let whole: SampleSchema = rest;
  for (const part of parts) whole = joined(whole, merged(part, lookup, steps + 1));
  return whole;
}

function joined(one: SampleSchema, other: SampleSchema): SampleSchema {
  const properties = { ...asObject(other["properties"]), ...asObject(one["properties"]) };
  const required = [...asList(other["required"]), ...asList(one["required"])];
  return {
    ...other,
    ...one,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

function typeOf({ type, properties, items }: SampleSchema): unknown {
  if (Array.isArray(type)) return type.find((one) => one !== "null");
  return type ?? (properties !== undefined ? "object" : items !== undefined ? "array" : undefined);
}

function sampleObject(schema: SampleSchema, lookup: Lookup, depth: number): unknown {
  const required = new Set(asList(schema["required"]));
  const entries = Object.entries(asObject(schema["properties"])).filter(
    ([name]) => required.has(name) || depth < DEEPEST,
  );
  const made = Object.fromEntries(
    entries
      .filter(([name]) => required.has(name) || depth < 3)
      .map(([name, inner]) => [name, sampleValue(inner, lookup, depth + 1)]),
  );
  const missing = [...required].filter((name) => !Object.hasOwn(made, name as string));
  return { ...made, ...Object.fromEntries(missing.map((name) => [name, "anything"])) };
}

function sampleList(schema: SampleSchema, lookup: Lookup, depth: number): unknown[] {
  const least = Number(schema["minItems"] ?? 0);
  const length = Math.max(least, depth < DEEPEST ? 1 : 0);
  return Array.from({ length }, () => sampleValue(schema["items"] ?? { type: "string" }, lookup, depth + 1));
}

function sampleText(schema: SampleSchema): string {
  const { format, minLength, maxLength, description } = schema;
  // A pattern that cannot be matched before the call is said in words.
  const pattern = schema["pattern"] ?? /Must match (\S+)$/.exec(String(description))?.[1];
  if (typeof pattern === "string") {
    const fits = (text: string) =>
      text.length >= Number(minLength ?? 0) && text.length <= Number(maxLength ?? 1e6);
    const [text] = fc.sample(fc.stringMatching(new RegExp(pattern)).filter(fits), { numRuns: 1, seed: 7 });
    return text ?? "";
  }
  const known = typeof format === "string" ? FORMATS[format] : undefined;
  if (known !== undefined) return known;
  const text = "a sample/with ?signs&".slice(0, Number(maxLength ?? 100));
  return text.padEnd(Number(minLength ?? 0), "x");
}

function sampleNumber(schema: SampleSchema): number {
  const { minimum, exclusiveMinimum, maximum, multipleOf } = schema as Record<string, number | undefined>;
  const least =
    minimum ??
    (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1) ??
    Math.min(1, maximum ?? 1);
  return multipleOf === undefined ? least : Math.ceil(least / multipleOf) * multipleOf;
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
