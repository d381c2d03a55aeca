import type { Tool } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { definitionHash } from "./definition-hash.ts";

const hashOf = (more: unknown) =>
  definitionHash({ name: "t", inputSchema: { type: "object", default: more } } as unknown as Tool);

test("the order of fields does not matter", () => {
  expect(hashOf({ a: 1, b: { c: 2, d: 3 } })).toBe(hashOf({ b: { d: 3, c: 2 }, a: 1 }));
});

test("[second attack 07] no two definitions have the same hash because of how they are written down", () => {
  const values = [
    {},
    [],
    { a: "b" },
    [["a", "b"]],
    { a: [] },
    { a: {} },
    null,
    "null",
    JSON.parse("1e999"),
    JSON.parse("-1e999"),
    "Infinity",
    0,
    -0,
    "0",
    JSON.parse('{"__proto__":{}}'),
    "\ud800",
    "\udfff",
    "{}",
    false,
    [null],
    [undefined],
  ];
  expect(new Set(values.map(hashOf)).size).toBe(values.length);
});
