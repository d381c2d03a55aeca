import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../contract/call/schema-type.ts";
import { compileWithAjv } from "./ajv-engine.ts";
import { argumentChecker } from "./argument-checker.ts";
import { type FitsPlainly, plainSchema } from "./plain-schema.ts";

const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 400);

const NAMES = ["a", "b", "é", "toString", "constructor"] as const;
const name = fc.constantFrom(...NAMES);
const count = fc.integer({ min: 0, max: 4 });
const bound = fc.constantFrom(-2, -1, 0, 0.5, 1, 2, 3);
const kind = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
/** Of as many units as characters, and of twice as many. */
const text = fc.string({ unit: fc.constantFrom("a", "é", "🍵", "\ud83c", "e\u0301"), maxLength: 5 });
const number = fc.constantFrom(-2, -1, -0, 0, 0.5, 1, 1.5, 2, 3, 1e21, 5e-324);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4 }),
  ),
}));

/** Schemas that are plain, and with `odd` some that are not; each has a few keywords, so that many values fit. */
function schemas(odd: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonSchema> {
  const scalars = {
    type: fc.oneof(kind, fc.uniqueArray(kind, { minLength: 1, maxLength: 5 })),
    enum: fc.array(scalar, { minLength: 1, maxLength: 8 }),
    minLength: count,
    maxLength: count,
    minimum: bound,
    maximum: bound,
    description: fc.constant("d"),
    ...odd,
  };
  const { schema } = fc.letrec<{ schema: JsonSchema; list: JsonSchema; object: JsonSchema }>((tie) => ({
    schema: fc.oneof({ maxDepth: 2 }, fewOf(scalars), tie("list"), tie("object")),
    list: fewOf({ items: tie("schema"), minItems: count, maxItems: count, ...odd }),
    object: fewOf({
      properties: fc.dictionary(name, tie("schema"), { maxKeys: 4 }),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
      ...odd,
    }),
  }));
  return schema;
}

function fewOf(keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonSchema> {
  const entries = fc.uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 3 });
  return entries.chain((names) =>
    fc.record(Object.fromEntries(names.map((one) => [one, keywords[one] as fc.Arbitrary<unknown>]))),
  );
}

const ODD = {
  default: scalar,
  format: fc.constantFrom("date", "email", "no-such-format"),
  pattern: fc.constantFrom("^a", "a$"),
  nullable: fc.boolean(),
  multipleOf: fc.constantFrom(1, 2),
  exclusiveMinimum: bound,
  const: scalar,
  uniqueItems: fc.boolean(),
  not: fc.constant({ type: "string" }),
};

interface Tally {
  fits: number;
  accepted: number;
}

/** @throws where something certainly fits, and the engine refuses or changes it. */
function compare(
  from: fc.Arbitrary<JsonSchema>,
  plain: (schema: JsonSchema) => FitsPlainly | undefined,
  numRuns = RUNS,
): Tally {
  const tally: Tally = { fits: 0, accepted: 0 };
  const values = fc.array(value, { minLength: 5, maxLength: 15 });
  fc.assert(
    fc.property(from, values, (schema, all) => {
      const fits = plain(schema);
      if (fits === undefined) return;
      const validate = compileWithAjv(schema, "first");
      for (const one of all) {
        const given = structuredClone(one);
        const isCertain = fits(one);
        const isAccepted = validate(given);
        if (isCertain) expect([isAccepted, given]).toEqual([true, one]);
        tally.fits += Number(isCertain);
        tally.accepted += Number(isAccepted);
      }
    }),
    { numRuns },
  );
  return tally;
}

test("what certainly fits is accepted by the engine and stays as it is", () => {
  const { fits, accepted } = compare(schemas({}), plainSchema);
  expect(accepted).toBeGreaterThan(RUNS);
  // The rest is in doubt: texts of which it is not known how many characters they have.
  expect(fits / accepted).toBeGreaterThan(0.8);
});

test("a schema with a keyword that is not known here is left to the engine", () => {
  compare(schemas(ODD), plainSchema);
  for (const keyword of Object.keys(ODD)) {
    const odd = { type: "object", properties: { a: { [keyword]: true } } };
    expect(plainSchema(odd)).toBeUndefined();
  }
});

describe("the comparison notices a check that is wrong", () => {
  test.each<[string, (schema: JsonSchema) => FitsPlainly | undefined]>([
    ["everything fits", () => () => true],
    ["defaults are ignored", (schema) => plainSchema(without(schema, "default"))],
    ["additional properties are ignored", (schema) => plainSchema(without(schema, "additionalProperties"))],
    ["lengths are ignored", (schema) => plainSchema(without(schema, "minLength"))],
    ["null is any text", (schema) => (given) => plainSchema(schema)?.(given === null ? "" : given) === true],
  ])("%s", (_name, wrong) => {
    const from = schemas({ default: scalar });
    // It ends at the first schema that shows it.
    expect(() => compare(from, wrong, RUNS * 50)).toThrow();
  });
});

function without(schema: JsonSchema, keyword: string): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, inner: unknown) => (key === keyword ? undefined : inner));
}

test.each([
  [{ minLength: 2 }, "🍵", false],
  [{ minLength: 2 }, "ab", false],
  [{ minLength: 2 }, "abc", true],
  [{ minLength: 1 }, "a", true],
  [{ maxLength: 1 }, "🍵", false],
  [{ maxLength: 2 }, "🍵", true],
  [{ type: "integer" }, 1.5, false],
  [{ type: "number" }, Number.POSITIVE_INFINITY, false],
  [{ type: "string" }, null, false],
  [{ required: ["toString"] }, {}, false],
  [{ additionalProperties: false }, { toString: 1 }, false],
  [{ properties: { a: {} }, required: ["a"] }, { a: undefined }, false],
])("%j and %j: whether it certainly fits is %s", (schema, given, isCertain) => {
  expect(plainSchema(schema)?.(given)).toBe(isCertain);
});

test("the first arguments that do not fit get the whole message, and nulls are left out", async () => {
  const schema = {
    type: "object",
    properties: { path: { type: "string", minLength: 1 }, limit: { type: "integer", minimum: 1 } },
    required: ["path"],
    additionalProperties: false,
  };
  const check = await argumentChecker(schema);
  expect(check('{"path":"a","limit":2}')).toEqual({ args: { path: "a", limit: 2 }, isChanged: false });
  expect(await check('{"path":"a","limit":null}')).toEqual({ args: { path: "a" }, isChanged: true });
  expect(await check('{"path":"","more":1}')).toEqual({
    error: expect.stringContaining('the property "more" is not known; /path:'),
  });
  expect(check({ path: "é" })).toEqual({ args: { path: "é" }, isChanged: false });
  expect(check('{"path":"a","__proto__":1}')).toHaveProperty("error");
});
