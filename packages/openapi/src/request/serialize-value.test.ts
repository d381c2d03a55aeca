import { describe, expect, test } from "vitest";
import { joinPairs } from "./build-request.ts";
import { type Style, serializePairs, serializePart } from "./serialize-value.ts";

const LIST = ["blue", "black", "brown"];
const FIELDS = { R: 100, G: 200, B: 150 };

describe("the table of styles in the specification", () => {
  test.each<[Style, boolean, unknown, string]>([
    ["simple", false, "blue", "blue"],
    ["simple", false, LIST, "blue,black,brown"],
    ["simple", false, FIELDS, "R,100,G,200,B,150"],
    ["simple", true, FIELDS, "R=100,G=200,B=150"],
    ["label", false, "blue", ".blue"],
    ["label", false, LIST, ".blue,black,brown"],
    ["label", true, LIST, ".blue.black.brown"],
    ["label", true, FIELDS, ".R=100.G=200.B=150"],
    ["matrix", false, "", ";color"],
    ["matrix", false, "blue", ";color=blue"],
    ["matrix", false, LIST, ";color=blue,black,brown"],
    ["matrix", true, LIST, ";color=blue;color=black;color=brown"],
    ["matrix", false, FIELDS, ";color=R,100,G,200,B,150"],
    ["matrix", true, FIELDS, ";R=100;G=200;B=150"],
  ])("in a path, %s with explode %s", (style, explode, value, written) => {
    expect(serializePart(value, { name: "color", style, explode })).toBe(written);
  });

  test.each<[Style, boolean, unknown, string]>([
    ["form", false, "", "color="],
    ["form", false, "blue", "color=blue"],
    ["form", false, LIST, "color=blue,black,brown"],
    ["form", true, LIST, "color=blue&color=black&color=brown"],
    ["form", false, FIELDS, "color=R,100,G,200,B,150"],
    ["form", true, FIELDS, "R=100&G=200&B=150"],
    ["spaceDelimited", false, LIST, "color=blue%20black%20brown"],
    ["pipeDelimited", false, LIST, "color=blue%7Cblack%7Cbrown"],
    ["deepObject", true, FIELDS, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
    [
      "deepObject",
      true,
      { a: { b: [1, "x y"] } },
      "color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D=x%20y",
    ],
  ])("in a query, %s with explode %s", (style, explode, value, written) => {
    expect(joinPairs(serializePairs(value, { name: "color", style, explode }))).toBe(written);
  });
});

test("a list without entries is not sent", () => {
  expect(serializePairs([], { name: "color", style: "form", explode: true })).toEqual([]);
  expect(serializePairs([], { name: "color", style: "form", explode: false })).toEqual([]);
});

test("what is nested where a style knows no nesting is sent as JSON", () => {
  const style = { name: "q", style: "form", explode: true } as const;
  expect(joinPairs(serializePairs([{ a: 1 }], style))).toBe(`q=${encodeURIComponent('{"a":1}')}`);
});

test("reserved characters stay where the document allows them, except for those that end a value", () => {
  const style = { name: "q", style: "form", explode: true, allowReserved: true } as const;
  expect(joinPairs(serializePairs("a/b:c?d@e,f", style))).toBe("q=a/b:c?d@e,f");
  expect(joinPairs(serializePairs("x&admin=1#top;y+z[0]", style))).toBe(
    "q=x%26admin%3D1%23top%3By%2Bz%5B0%5D",
  );
});

test("a list in a query is written once for each entry or in one, and reads back as it was", () => {
  const values = ["a&b", "c=d", "é,f"];
  const written = joinPairs(serializePairs(values, { name: "list", style: "form", explode: true }));
  expect(new URLSearchParams(written).getAll("list")).toEqual(values);
});
