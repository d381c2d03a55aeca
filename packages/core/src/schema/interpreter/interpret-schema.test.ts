import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonSchema } from "../../contract/call/schema-type.ts";
import { compileWithAjv } from "../ajv-engine.ts";
import { checkSchema } from "../check-schema.ts";
import { describeErrors } from "../describe-error.ts";
import { interpretSchema } from "./interpret-schema.ts";

const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 60);
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

/** Whether a value holds, and what became of it. Of the two compiled forms the one that does not stop early is exact. */
function verdicts(schema: JsonSchema, value: unknown, validate = compileWithAjv(schema, "all")) {
  const [one, other] = [structuredClone(value), structuredClone(value)];
  const compiled = validate(one);
  const interpreted = interpretSchema(schema)(other).length === 0;
  return { compiled: { holds: compiled, value: one }, interpreted: { holds: interpreted, value: other } };
}

const name = fc.constantFrom("a", "b", "c", "a-b", "d");
const small = fc.integer({ min: 0, max: 3 });
const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
const pattern = fc.constantFrom("^a", "b$", "^[a-c]{1,2}$", "^(?!b)");
const format = fc.constantFrom(..."date date-time email uri url uuid ipv4 int32 no-such-format".split(" "));
const text = fc.constantFrom(
  ..."a ab b abc é😀 2024-02-30 2024-02-29 a@b.test https://a.test 1.2.3.4".split(" "),
  "",
);
const scalar = fc.oneof(
  text,
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.5, 1e21, 1.5),
  fc.boolean(),
  fc.constant(null),
);

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
})).value;

const optional = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });

/** Schemas of one dialect. `default` stands in properties of the top alone: within alternatives its effect is not defined. */
function schemas(dialect: "2020-12" | "draft-07") {
  const isOlder = dialect === "draft-07";
  return fc.letrec((tie) => {
    const inner = tie("schema");
    const dictionary = fc.dictionary(name, inner, { maxKeys: 2 });
    const list = fc.array(inner, { minLength: 1, maxLength: 2 });
    const names = fc.uniqueArray(name, { maxLength: 2 });
    const value = optional({
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 2 })),
      enum: fc.array(json, { minLength: 1, maxLength: 3 }),
      const: json,
      minimum: fc.integer({ min: -2, max: 2 }),
      exclusiveMaximum: fc.integer({ min: -2, max: 2 }),
      multipleOf: fc.constantFrom(0.5, 1, 2),
      minLength: small,
      maxLength: small,
      pattern,
      format,
    });
    const object = optional({
      properties: dictionary,
      patternProperties: fc.dictionary(pattern, inner, { maxKeys: 1 }),
      additionalProperties: inner,
      required: names,
      propertyNames: inner,
      minProperties: small,
      maxProperties: small,
      dependencies: fc.dictionary(name, fc.oneof(inner, names), { maxKeys: 1 }),
      ...(isOlder
        ? {}
        : {
            dependentRequired: fc.dictionary(name, names, { maxKeys: 1 }),
            dependentSchemas: fc.dictionary(name, inner, { maxKeys: 1 }),
          }),
    });
    const array = optional({
      items: isOlder ? fc.oneof(inner, list) : inner,
      contains: inner,
      minItems: small,
      maxItems: small,
      uniqueItems: fc.boolean(),
      ...(isOlder
        ? { additionalItems: inner }
        : { prefixItems: list, minContains: small, maxContains: small }),
    });
    const combined = optional({
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: inner,
      if: inner,
      then: inner,
      else: inner,
      $ref: fc.constantFrom("#/$defs/one", "#/$defs/two"),
    });
    return {
      schema: fc.oneof(
        { maxDepth: 2 },
        fc.oneof(fc.boolean(), value),
        value,
        object,
        array,
        combined,
        fc.tuple(object, combined).map(([one, other]) => ({ ...one, ...other })),
        fc.tuple(array, combined).map(([one, other]) => ({ ...one, ...other })),
      ),
      // What is referenced has no references, so that none leads back to itself.
      plain: fc.oneof(
        value,
        optional({ properties: fc.dictionary(name, value, { maxKeys: 2 }), required: names }),
      ),
    };
  });
}

function whole(dialect: "2020-12" | "draft-07"): fc.Arbitrary<JsonSchema> {
  const { schema, plain } = schemas(dialect);
  return fc
    .record({
      schema,
      one: plain,
      two: plain,
      filled: fc.dictionary(name, json, { maxKeys: 2 }),
      // The compiler makes code that does not run if these stand deeper, within alternatives.
      last:
        dialect === "draft-07"
          ? fc.constant({})
          : optional({ unevaluatedItems: plain, unevaluatedProperties: plain }),
    })
    .map(({ schema: made, one, two, filled, last }) => {
      const top = typeof made === "object" && made !== null ? (made as JsonSchema) : { not: {} };
      const properties = Object.entries(filled).map(([key, value]) => [key, { default: value }] as const);
      return asJson({
        ...(dialect === "draft-07" ? { $schema: DRAFT_07 } : {}),
        ...top,
        // What a branch looked at that is not taken: tested below.
        ...("if" in top ? {} : last),
        properties: { ...((top["properties"] ?? {}) as object), ...Object.fromEntries(properties) },
        $defs: { one, two },
      });
    });
}

/** As it would be read from a text: objects have a prototype. */
function asJson(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema;
}

/** The compiled form; `undefined` where its compiler makes code that does not run. */
function usable(schema: JsonSchema): ReturnType<typeof compileWithAjv> | undefined {
  try {
    return compileWithAjv(schema, "all");
  } catch {
    return undefined;
  }
}

/** For a few schemas the compiled code ends with an error of its own, which is no verdict. */
function failsItself(validate: (value: unknown) => boolean, value: unknown): boolean {
  try {
    validate(structuredClone(value));
    return false;
  } catch {
    return true;
  }
}

test.each(["2020-12", "draft-07"] as const)(
  "an interpreted schema gives the same verdicts and defaults as a compiled one: %s",
  (dialect) => {
    fc.assert(
      fc.property(whole(dialect), fc.array(json, { minLength: 3, maxLength: 6 }), (schema, values) => {
        fc.pre(checkSchema(schema).length === 0);
        const validate = usable(schema);
        fc.pre(validate !== undefined);
        for (const value of values) {
          if (failsItself(validate, value)) continue;
          const { compiled, interpreted } = verdicts(schema, value, validate);
          expect(interpreted.holds, JSON.stringify({ schema, value })).toBe(compiled.holds);
          if (compiled.holds) expect(interpreted.value).toEqual(compiled.value);
        }
      }),
      { numRuns: RUNS },
    );
  },
);

test("a branch that is not taken has looked at nothing", () => {
  const schema = { if: {}, else: { contains: false }, unevaluatedItems: { type: "string" } };
  const taken = { if: false, else: { contains: true }, unevaluatedItems: { type: "string" } };
  expect(interpretSchema(schema)([0.5])).toHaveLength(1);
  expect(interpretSchema(taken)([0.5])).toEqual([]);
});

test("references follow anchors, pointers with escapes, and the schema itself", () => {
  const tree: JsonSchema = {
    type: "object",
    properties: { value: { $ref: "#/$defs/a~1b" }, left: { $ref: "#" }, name: { $ref: "#named" } },
    $defs: { "a/b": { type: "integer" }, named: { $anchor: "named", type: "string" } },
    additionalProperties: false,
  };
  for (const value of [
    { value: 1, left: { value: 2, left: { name: "x" } } },
    { left: { left: { value: "1" } } },
    { name: 1 },
    { left: { other: 1 } },
  ]) {
    const { compiled, interpreted } = verdicts(tree, value);
    expect(interpreted).toEqual(compiled);
  }
  expect(() => interpretSchema({ $ref: "#/$defs/none" })(1)).toThrow("leads nowhere");
  expect(() => interpretSchema({ allOf: [{ $ref: "#" }] })(1)).toThrow("leads back to itself");
});

test("errors are described in the same words", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: {
      path: { type: "string", pattern: "^/" },
      limit: { type: "integer", minimum: 1 },
      mode: { enum: ["fast", "slow"] },
    },
    required: ["path", "name"],
    additionalProperties: false,
  };
  const value = { path: "a", limit: 0, mode: "quick", extra: 1 };
  const validate = compileWithAjv(schema, "all");
  validate(value);
  const words = (text: string) => text.split("; ").toSorted();
  expect(words(describeErrors(interpretSchema(schema)(value), value))).toEqual(
    words(describeErrors(validate.errors ?? [], value)),
  );
});

test("a pattern that would backtrack is matched in linear time", () => {
  const validate = interpretSchema({ type: "string", pattern: "^(a+)+$" });
  const before = performance.now();
  expect(validate(`${"a".repeat(50_000)}b`)).toHaveLength(1);
  expect(performance.now() - before).toBeLessThan(60_000);
  expect(() => interpretSchema({ pattern: "(a)\\1" })("aa")).toThrow("is refused");
});
