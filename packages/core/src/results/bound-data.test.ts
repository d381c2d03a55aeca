import fc from "fast-check";
import { expect, test } from "vitest";
import { boundData, TOO_LARGE } from "./bound-data.ts";

/** The same kind of value: an object with the same fields, a list, a text. */
function isOfSameType(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return other.length <= one.length && other.every((inner, index) => isOfSameType(one[index], inner));
  }
  if (typeof one === "string" && typeof other === "string") return one.startsWith(other);
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null)
    return Object.is(one, other);
  const keys = Object.keys(one);
  return (
    JSON.stringify(keys) === JSON.stringify(Object.keys(other)) &&
    keys.every((key) =>
      isOfSameType((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
    )
  );
}

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ maxLength: 2_000, unit: "binary" }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 40 }),
    fc.dictionary(fc.string({ maxLength: 8 }), tie("value"), { maxKeys: 8 }),
  ),
})).value;

test("whatever is cut fits, and is of the type that it was", () => {
  fc.assert(
    fc.property(
      json,
      fc.integer({ min: 50, max: 3_000 }),
      fc.integer({ min: 1, max: 30 }),
      (made, bytes, entries) => {
        const value: unknown = JSON.parse(JSON.stringify(made));
        const text = JSON.stringify(value);
        const bounded = boundData(value, text, { bytes, entries });
        if (bounded === TOO_LARGE) return;
        const head = bounded === undefined ? value : bounded.head;
        expect(isOfSameType(value, head)).toBe(true);
        const shown = typeof value === "string" ? String(head) : JSON.stringify(head);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(bytes);
      },
    ),
    { numRuns: 500 },
  );
});

test("a short text is never cut: half a name is another name", () => {
  const value = { id: "a".repeat(150), body: "b".repeat(4_000) };
  expect(boundData(value, JSON.stringify(value), { bytes: 600, entries: 10 })).toMatchObject({
    head: { id: value.id },
    leftOut: { "/body": expect.any(String) },
  });
  expect(boundData(value, JSON.stringify(value), { bytes: 200, entries: 10 })).toBe(TOO_LARGE);
});

test("a long text of line ends is cut, and the cut ends", () => {
  const value = { text: "\n".repeat(5_000) };
  const bounded = boundData(value, JSON.stringify(value), { bytes: 1_000, entries: 10 });
  expect(JSON.stringify(bounded).length).toBeLessThan(1_200);
});
