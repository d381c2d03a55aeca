import { expect, test } from "vitest";
import { SchemaBook } from "./schema-book.ts";

const SCHEMAS = {
  Node: {
    type: "object",
    required: ["id", "children"],
    properties: {
      id: { type: "string", readOnly: true },
      secret: { type: "string", writeOnly: true },
      made: { $ref: "#/components/schemas/Made" },
      children: { type: "array", items: { $ref: "#/components/schemas/Node" } },
    },
  },
  Made: { type: "string", format: "date-time", readOnly: true },
  Unused: { type: "string" },
  Itself: { allOf: [{ $ref: "#/components/schemas/Other" }] },
  Other: { anyOf: [{ type: "string" }, { $ref: "#/components/schemas/Itself" }] },
  Away: { type: "object", properties: { x: { $ref: "file:///etc/passwd" } } },
  "odd name/~": { type: "integer" },
  constructor: { type: "boolean" },
};

function converted(schema: unknown, direction: "request" | "response" = "request") {
  const book = new SchemaBook({ components: { schemas: SCHEMAS } }, direction);
  const made = book.convert(schema);
  return { schema: made.schema, definitions: book.definitionsOf([made]) };
}

test("a schema within itself stays a reference, and only what is reached is there", () => {
  const { schema, definitions } = converted({ $ref: "#/components/schemas/Node" }, "response");
  expect(schema).toEqual({ $ref: "#/$defs/Node" });
  expect(Object.keys(definitions).toSorted()).toEqual(["Made", "Node"]);
  expect(definitions["Node"]).toMatchObject({
    properties: { children: { items: { $ref: "#/$defs/Node" } }, id: { type: "string" } },
  });
});

test("what the server alone sets is not sent, also if a reference says so; what is only sent does not come back", () => {
  const { definitions } = converted({ $ref: "#/components/schemas/Node" });
  expect(definitions["Node"]).toMatchObject({ required: ["children"] });
  expect(Object.keys((definitions["Node"] as { properties: object }).properties)).toEqual([
    "secret",
    "children",
  ]);
  const back = converted({ $ref: "#/components/schemas/Node" }, "response").definitions["Node"];
  expect(Object.keys((back as { properties: object }).properties)).toEqual(["id", "made", "children"]);
});

test("a schema that consists of itself is refused", () => {
  expect(() => converted({ $ref: "#/components/schemas/Itself" })).toThrow(/refers only to itself/);
});

test.each(["file:///etc/passwd", "https://evil.test/x.json", "other.yaml#/X", "#anchor"])(
  "a reference to %s is refused, wherever it stands",
  (reference) => {
    expect(() => converted({ items: { $ref: reference } })).toThrow(/not in this document/);
  },
);

test("a definition that refers to a file spoils those that use it, each time they are asked for", () => {
  const book = new SchemaBook({ components: { schemas: SCHEMAS } }, "request");
  const made = book.convert({ $ref: "#/components/schemas/Away" });
  for (const _ of [1, 2]) expect(() => book.definitionsOf([made])).toThrow(/etc\/passwd/);
});

test("a reference to nothing is refused, and so is one to what every object has", () => {
  expect(() => converted({ $ref: "#/components/schemas/Missing" })).toThrow(/does not exist/);
  expect(() => converted({ $ref: "#/components/schemas/toString" })).toThrow(/does not exist/);
});

test("names of definitions need no escapes, and none is a name that every object answers to", () => {
  const { definitions } = converted({
    prefixItems: [
      { $ref: "#/components/schemas/odd name~1~0" },
      { $ref: "#/components/schemas/constructor" },
    ],
  });
  expect(Object.keys(definitions).toSorted()).toEqual(["constructor_2", "odd_name_"]);
});

test("alternatives may overlap, and which is meant is said by the property that the document names", () => {
  const reference = { $ref: "#/components/schemas/Unused" };
  const discriminator = {
    propertyName: "kind",
    mapping: { plain: "#/components/schemas/Unused", made: "Made" },
  };
  const oneOf = [reference, { $ref: "#/components/schemas/Made" }, { type: "null" }];
  expect(converted({ oneOf, discriminator }).schema).toEqual({
    anyOf: [
      { $ref: "#/$defs/Unused", properties: { kind: { const: "plain" } }, required: ["kind"] },
      { $ref: "#/$defs/Made", properties: { kind: { const: "made" } }, required: ["kind"] },
      { type: "null" },
    ],
  });
  expect(converted({ anyOf: [reference], oneOf: [{ type: "null" }], allOf: [{}] }).schema).toEqual({
    allOf: [{}, { anyOf: [{ type: "null" }] }],
    anyOf: [{ $ref: "#/$defs/Unused" }],
  });
});

test("a default is said in words and never filled in", () => {
  const { schema } = converted({ type: "integer", default: 20, description: "How many." });
  expect(schema).toEqual({ type: "integer", description: "How many. Default: 20." });
});

test("keywords that mean nothing here, or hold what they cannot hold, are left out", () => {
  const { schema } = converted({
    type: "file",
    required: true,
    minimum: "1",
    pattern: "(?<=x)y",
    enum: [],
    items: null,
    allOf: [],
    discriminator: { propertyName: "kind" },
    "x-internal": 1,
    $id: "https://evil.test/",
    $async: true,
    maxLength: 3,
  });
  expect(schema).toEqual({ maxLength: 3, description: "Must match (?<=x)y" });
});

test("text that a model reads hides nothing and is not endless", () => {
  const { schema } = converted({ description: `see\u{202E}this ${"x".repeat(5_000)}` });
  const { description } = schema as { description: string };
  expect(description).toContain("<U+202E>");
  expect(description.length).toBeLessThan(1_100);
});
