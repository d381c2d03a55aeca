import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeEdit, parseClientFile, undoEdit, valueAt } from "./json-edit.ts";

const TEXT = `// a comment
{
\t"a": {"x": 1}, // odd
\t"list": [ "one" ],
}
`;

describe("an edit in a client's file", () => {
  test("changes its path and nothing else", () => {
    const { text } = makeEdit(TEXT, { kind: "set", path: ["a", "y"], value: 2 });
    expect(valueAt(text, ["a"])).toEqual({ x: 1, y: 2 });
    expect(text).toContain("// a comment");
    expect(text).toContain("// odd");
  });

  test("can be undone after other parts of the file changed", () => {
    const { text, edit } = makeEdit(TEXT, { kind: "append", path: ["hooks", "PreToolUse"], value: { m: 1 } });
    const touched = text.replace('"one"', '"one", "two"');
    const back = undoEdit(touched, edit);
    expect(back.conflict).toBeUndefined();
    expect(valueAt(back.text, ["hooks"])).toBeUndefined();
    expect(valueAt(back.text, ["list"])).toEqual(["one", "two"]);
  });

  test("keeps a list that has other entries", () => {
    const { text, edit } = makeEdit(TEXT, { kind: "append", path: ["hooks"], value: { m: 1 } });
    const more = makeEdit(text, { kind: "append", path: ["hooks"], value: { other: 1 } });
    expect(valueAt(undoEdit(more.text, edit).text, ["hooks"])).toEqual([{ other: 1 }]);
  });

  test("a text that is not an object is refused", () => {
    for (const text of ["[]", "{", "null", '{"a":1}}']) {
      expect(() => parseClientFile(text, "x.json")).toThrow("not valid JSON");
    }
  });

  test("in any file, applying and undoing an edit restores the values", () => {
    const key = fc.stringMatching(/^[a-z]{1,4}$/);
    const file = fc.dictionary(key, fc.oneof(fc.integer(), fc.string(), fc.dictionary(key, fc.integer())), {
      noNullPrototype: true,
    });
    const runs = Number(process.env["TOOLKEEP_RUNS"] ?? 200);
    fc.assert(
      fc.property(
        file,
        fc.array(key, { minLength: 1, maxLength: 3 }),
        fc.integer(),
        (content, path, value) => {
          const text = JSON.stringify(content, undefined, 2);
          // A path through a value that is not an object cannot be edited.
          const above = path.slice(0, -1).map((_, index) => valueAt(text, path.slice(0, index + 1)));
          fc.pre(above.every((one) => one === undefined || (typeof one === "object" && one !== null)));
          const { text: next, edit } = makeEdit(text, { kind: "set", path, value });
          expect(valueAt(next, path)).toBe(value);
          expect(JSON.parse(undoEdit(next, edit).text)).toEqual(content);
        },
      ),
      { numRuns: runs },
    );
  });
});
