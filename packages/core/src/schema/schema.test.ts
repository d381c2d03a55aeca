import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Schema } from "../contract/call/schema-type.ts";
import { argumentChecker } from "./argument-checker.ts";
import { checkInputSchema, checkSchema } from "./check-schema.ts";
import { findJsonError } from "./json-error.ts";

const FILE = {
  type: "object",
  properties: {
    path: { type: "string" },
    limit: { type: "integer", minimum: 1, default: 10 },
    mode: { enum: ["fast", "slow"] },
  },
  required: ["path"],
  additionalProperties: false,
} as const;

async function check(schema: Schema, raw: unknown) {
  const checker = await argumentChecker(schema);
  const outcome = await checker(raw);
  return outcome.error === undefined ? { args: outcome.args, error: undefined } : outcome;
}

test("[C44] a schema failure says where, what was expected and what came, all at once", async () => {
  const outcome = await check(FILE, '{"path": 7, "limit": 0, "mode": "quick", "extra": 1}');
  expect(outcome.error).toBe(
    'arguments: the property "extra" is not known; /path: expected string, got a number (7); ' +
      '/limit: must be >= 1, got a number (0); /mode: expected one of "fast", "slow", got a string ("quick")',
  );
});

test("defaults are applied, types are not coerced, and the arguments are frozen", async () => {
  const outcome = await check(FILE, '{"path": "a"}');
  expect(outcome).toEqual({ args: { path: "a", limit: 10 } });
  expect(Object.isFrozen((outcome as { args: object }).args)).toBe(true);
  expect((await check(FILE, '{"path": "a", "limit": "3"}')).error).toContain("expected integer");
});

test("a null for an optional property, as strict definitions ask for it, means that it was left out", async () => {
  expect(await check(FILE, '{"path": "a", "limit": null, "mode": null}')).toEqual({
    args: { path: "a", limit: 10 },
  });
  const schema = z.object({ city: z.string(), days: z.number().optional() });
  expect(await check(schema, '{"city": "Oslo", "days": null}')).toEqual({ args: { city: "Oslo" } });
  expect((await check(FILE, '{"path": null}')).error).toContain("/path: expected string");
});

test("arguments given as an object are copied: the caller cannot change them afterwards", async () => {
  const mine = { path: "a", nested: undefined };
  const outcome = await check({ type: "object" }, mine);
  mine.path = "b";
  expect(outcome).toEqual({ args: { path: "a" } });
});

test.each([
  ['{"path": "a"', 12, "the text ends before its bracket is closed"],
  ['{"path": "a', 9, "the text ends inside a string"],
  ['{"path" "a"}', 8, 'expected a colon, found "\\"a\\"}"'],
  ['{"path": "a",}', 13, 'expected a name, found "}"'],
  ['{"path": "a\nb"}', 9, "the string has a raw control character or an unknown escape"],
  ['{"path": "a"} {}', 14, "there is more after the end of the value"],
])("malformed or cut JSON %j is a failure with its position", async (text, position, diagnostic) => {
  expect((await check(FILE, text)).error).toBe(
    `not valid JSON at position ${position} of ${text.length}: ${diagnostic}`,
  );
});

test("the error finder agrees with JSON.parse on how much of a truncated text is valid", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(), (json, cut) => {
      const text = json.slice(0, cut % json.length);
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      fc.pre(!isJson);
      const { position, diagnostic } = findJsonError(text);
      expect(position).toBeLessThanOrEqual(text.length);
      expect(diagnostic).not.toBe("unreadable");
    }),
  );
});

test("only an object will do, and a name that reaches the prototype will not", async () => {
  expect((await check(FILE, "[1]")).error).toBe("expected a JSON object, got an array");
  expect((await check(FILE, "null")).error).toBe("expected a JSON object, got null");
  expect((await check({ type: "object" }, '{"__proto__": {"a": 1}}')).error).toContain("__proto__");
  expect((await check({ type: "object" }, '{"a": {"\\u005f_proto__": 1}}')).error).toContain("__proto__");
});

test("deep nesting is refused before anything recursive sees it", async () => {
  const recursive = { type: "object", properties: { a: { $ref: "#" } } };
  const text = `${'{"a":'.repeat(100_000)}{}${"}".repeat(100_000)}`;
  expect((await check(recursive, text)).error).toBe("nested deeper than 200 levels");
  let value: Record<string, unknown> = {};
  for (let depth = 0; depth < 100_000; depth += 1) value = { a: value };
  expect((await check(recursive, value)).error).toBe("nested deeper than 200 levels");
});

test("a hostile pattern cannot hang the check", async () => {
  const hostile = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
  const started = performance.now();
  const outcome = await check(hostile, { a: `${"a".repeat(50_000)}b` });
  expect(outcome.error).toContain("must match ^(a+)+$");
  expect(performance.now() - started).toBeLessThan(60_000);
});

test("look-aheads at the front of a pattern work; others are refused when the schema is checked", async () => {
  const noDots = { type: "object", properties: { a: { type: "string", pattern: "^(?!.*\\.\\.)[a-z.]+$" } } };
  expect(checkInputSchema(noDots)).toEqual([]);
  expect((await check(noDots, { a: "a.b" })).error).toBeUndefined();
  expect((await check(noDots, { a: "a..b" })).error).toContain("must match");
  for (const pattern of ["(?<=a)b", "a(?=b)", "(a)\\1", "(?<n>a)\\k<n>"]) {
    expect(checkSchema({ pattern })[0]?.diagnostic).toContain("cannot be matched safely");
  }
});

test("both dialects are understood", async () => {
  const draft07 = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { pair: { type: "array", items: [{ type: "string" }, { type: "number" }] } },
  };
  const modern = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] } },
  };
  for (const schema of [draft07, modern]) {
    expect(checkInputSchema(schema)).toEqual([]);
    expect((await check(schema, { pair: ["a", 1] })).error).toBeUndefined();
    expect((await check(schema, { pair: [1, "a"] })).error).toContain("/pair/0: expected string");
  }
});

test("a Standard Schema is validated by its own library, with the path in the message", async () => {
  const schema = z.object({ city: z.string().default("Oslo"), days: z.number().int() });
  expect(await check(schema, '{"days": 2}')).toEqual({ args: { city: "Oslo", days: 2 } });
  expect((await check(schema, '{"days": "x"}')).error).toMatch(/^\/days: /);
});

test.each([
  [{ type: "objekt" }, "/type"],
  [{ type: "object", properties: [] }, "/properties"],
  [{ type: "object", required: "a" }, "/required"],
  [{ type: "object", properties: { a: { minLength: -1 } } }, "/properties/a/minLength"],
  [{ type: "object", properties: { a: { pattern: "(" } } }, "/properties/a/pattern"],
  [{ type: "object", properties: { a: { $ref: "#/$defs/b" } } }, "/properties/a/$ref"],
  [{ type: "object", properties: { a: { $ref: "https://example.com/a" } } }, "/properties/a/$ref"],
  [{ type: "object", anyOf: [] }, "/anyOf"],
  [{ type: "string" }, "/type"],
])("an invalid schema %j is found when it is checked", (schema, path) => {
  expect(checkInputSchema(schema).map((error) => error.path)).toContain(path);
});

test("what the check accepts, the official meta-schema accepts", () => {
  const ajv = new Ajv2020({ strict: false });
  const keyword = fc.constantFrom(
    "type",
    "properties",
    "items",
    "required",
    "minLength",
    "anyOf",
    "enum",
    "multipleOf",
    "uniqueItems",
    "additionalProperties",
    "title",
    "maximum",
  );
  const value = fc.oneof(
    fc.constantFrom(
      "string",
      "object",
      ["null", "array"],
      true,
      3,
      -1,
      0.5,
      {},
      [],
      ["a"],
      [{}],
      { a: {} },
      "x",
    ),
    fc.constantFrom({ type: "string" }, { a: { type: "number" } }, [{ type: "null" }], { a: 1 }, null),
  );
  fc.assert(
    fc.property(fc.dictionary(keyword, value), (schema) => {
      // A list may repeat itself in our eyes: harmless, and ajv compiles it.
      if (checkSchema(schema).length === 0) expect(ajv.validateSchema(schema)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
