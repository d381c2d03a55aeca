import { createSession, defineTool, type JsonSchema, type Session, ToolkeepError } from "@toolkeep/core";
import { expect, test } from "vitest";
import { checkableSchema, leftOutMessage } from "./checkable-schema.ts";

const HEAVY = "^([a-z0-9-]{1,60}(,[a-z0-9-]{1,60}){0,99})?$";
const field = (schema: JsonSchema): JsonSchema => ({ type: "object", properties: { x: schema } });

/** What core makes of a call: `undefined` where it runs. */
async function outcome(inputSchema: JsonSchema, args: Readonly<Record<string, unknown>>) {
  const execute = () => "ran";
  const tool = defineTool({
    name: "probe",
    description: "Probes.",
    inputSchema,
    requires: {},
    gated: false,
    execute,
  });
  const opened = await createSession({ tools: [tool] }).catch((error: unknown) => error);
  if (ToolkeepError.isInstance(opened)) return opened.code;
  await using session = opened as Session;
  const result = await session.call({ id: "1", name: "probe", arguments: args });
  return result.ok ? "ran" : result.failure?.code;
}

test("a schema that can be checked stays as it is, also where something is only called `pattern`", () => {
  const schema = field({ type: "object", properties: { pattern: { type: "string", pattern: "^a+$" } } });
  const named = { type: "object", properties: { pattern: { enum: [HEAVY] } }, default: { pattern: HEAVY } };
  expect(checkableSchema(schema)).toEqual({ schema, leftOut: [] });
  expect(checkableSchema(named).schema).toBe(named);
});

const schemas: readonly (readonly [string, JsonSchema, unknown])[] = [
  ["a text", { type: "string", pattern: HEAVY }, "a,b"],
  ["a list", { type: "array", items: { anyOf: [{ pattern: HEAVY }, { type: "number" }] } }, ["a"]],
  ["what must not be", { type: "string", not: { pattern: "(?<=x)y" } }, "a"],
  ["a condition", { if: { pattern: HEAVY }, then: { maxLength: 3 }, else: { maxLength: 1 } }, "abc"],
  ["one of several", { oneOf: [{ pattern: HEAVY }, { pattern: "(?<=x)y" }] }, "a"],
  [
    "one of several, with other conditions",
    { allOf: [{ type: "string" }], oneOf: [{ pattern: HEAVY }, { minLength: 9 }] },
    "abcdefghi",
  ],
  [
    "names",
    { type: "object", patternProperties: { [HEAVY]: { type: "number" } }, additionalProperties: false },
    { a: 1 },
  ],
  ["a definition", { $ref: "#/$defs/word" }, "a"],
];

test.each(schemas)(
  "a pattern that cannot be matched is left out of %s, and what fitted still does",
  async (_, schema, value) => {
    const whole = { ...field(schema), $defs: { word: { type: "string", pattern: HEAVY } } };
    expect(await outcome(whole, { x: value })).not.toBe("ran");
    const checked = checkableSchema(whole);
    expect(checked.leftOut).toContain(HEAVY);
    expect(await outcome(checked.schema, { x: value })).toBe("ran");
  },
);

test("what else a schema says still holds", async () => {
  const { schema } = checkableSchema(field({ type: "string", pattern: HEAVY, maxLength: 3 }));
  expect(await outcome(schema, { x: "abcd" })).toBe("invalid_arguments");
  expect(await outcome(schema, { x: 7 })).toBe("invalid_arguments");
});

test("the words name what is not checked, bounded", () => {
  expect(leftOutMessage([])).toBe("");
  expect(leftOutMessage([HEAVY])).toContain(HEAVY);
  expect(leftOutMessage(Array.from({ length: 9 }, (_, at) => `${at}`.repeat(5_000))).length).toBeLessThan(
    1_000,
  );
});
