import { expect, test } from "vitest";
import { expandedSize } from "./check-document.ts";
import { own } from "./json-object.ts";
import { liftDocument } from "./lift-document.ts";
import { MOST_BYTES, readSpec, readText } from "./read-text.ts";

test("JSON and YAML are read alike", () => {
  expect(readText('{"openapi":"3.1.0","paths":{}}')).toEqual(readText("openapi: 3.1.0\npaths: {}\n"));
});

test("a text that is too large, too deep, or no object is refused in time", () => {
  const started = performance.now();
  expect(() => readText(" ".repeat(MOST_BYTES + 1))).toThrow(/larger than/);
  expect(() => readText(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)).toThrow(/deeper|neither/);
  expect(() => readText(`a: ${"[".repeat(5_000)}${"]".repeat(5_000)}`)).toThrow(/deeper|neither/);
  expect(() => readText("[1]")).toThrow(/not an object/);
  expect(() => readText("just words")).toThrow(/not an object/);
  expect(() => readText("{ not: [json")).toThrow(/neither JSON nor YAML/);
  expect(performance.now() - started).toBeLessThan(60_000);
});

test("aliases of YAML cannot make a small text huge", () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 12; level += 1)
    lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(", ")}]`);
  expect(() => readText(lines.join("\n"))).toThrow(/neither JSON nor YAML|parts/);
});

test("keys that are no keys are taken out, and nothing is polluted", () => {
  const read = readText(
    '{"openapi":"3.1.0","paths":{},"__proto__":{"polluted":true},"info":{"__proto__":{"polluted":1}}}',
  );
  expect(own(read, "__proto__")).toBeUndefined();
  expect((read as { polluted?: unknown }).polluted).toBeUndefined();
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(own(read, "constructor")).toBeUndefined();
});

test("a document that was read already is copied, and one within itself is refused", () => {
  const spec = { openapi: "3.1.0", paths: { "/x": {} } };
  const copy = readSpec(spec);
  expect(copy).toEqual(spec);
  expect(copy["paths"]).not.toBe(spec.paths);
  const circular: Record<string, unknown> = { openapi: "3.1.0" };
  circular["self"] = circular;
  expect(() => readSpec(circular)).toThrow(/JSON cannot express/);
});

test("Swagger 2 is refused with what to do, and so is a version that is not known", () => {
  expect(() => liftDocument({ swagger: "2.0", paths: {} })).toThrow(/Swagger 2.0.*convert it/);
  expect(() => liftDocument({ openapi: "4.0.0", paths: {} })).toThrow(/3\.0 and 3\.1 are supported/);
  expect(() => liftDocument({ paths: {} })).toThrow(/no `openapi` version field/);
  expect(() => liftDocument({ openapi: "3.1.0" })).toThrow(/no paths/);
});

test("3.0 is lifted: what may be null says so as 3.1 does", () => {
  const schemas = { A: { type: "string", nullable: true }, B: { minimum: 1, exclusiveMinimum: true } };
  const lifted = liftDocument({ openapi: "3.0.3", paths: {}, components: { schemas } });
  expect(own(own(lifted, "components"), "schemas")).toEqual({
    A: { type: ["string", "null"] },
    B: { exclusiveMinimum: 1 },
  });
});

test("what references would expand to is counted without expanding it", () => {
  const schemas: Record<string, unknown> = { S0: { type: "string" } };
  for (let level = 1; level <= 60; level += 1) {
    const $ref = `#/components/schemas/S${level - 1}`;
    schemas[`S${level}`] = { properties: { a: { $ref }, b: { $ref } } };
  }
  const started = performance.now();
  expect(expandedSize({ components: { schemas } }, 1_000)).toBeGreaterThan(1_000);
  expect(performance.now() - started).toBeLessThan(60_000);
  expect(expandedSize({ a: { b: {} } }, 1_000)).toBe(3);
});
