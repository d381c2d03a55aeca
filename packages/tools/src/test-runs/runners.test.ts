import { expect, test } from "vitest";
import { runnerOf } from "./runners.ts";

const ofPackage = (manifest: unknown, more: readonly string[] = []) =>
  runnerOf(
    new Map([
      ["package.json", typeof manifest === "string" ? manifest : JSON.stringify(manifest)],
      ...more.map((name) => [name, ""] as const),
    ]),
  );

test.each([
  [{ scripts: { test: "vitest run" } }, "vitest"],
  [{ scripts: { test: "tsc && node_modules/.bin/jest --ci" }, devDependencies: { vitest: "1" } }, "jest"],
  [{ scripts: { test: "node --import ./x.js --test" }, devDependencies: { jest: "1" } }, "node:test"],
  [{ scripts: { test: "npm run unit" }, devDependencies: { vitest: "1" } }, "vitest"],
  [{ dependencies: { jest: "1" } }, "jest"],
  [{ description: "Moves from jest to vitest", keywords: ["jest"] }, "node:test"],
  [
    { scripts: { lint: "jest-lint", test: "node test.js" }, devDependencies: { "vitest-mock": "1" } },
    "node:test",
  ],
  [{ scripts: "jest", dependencies: ["jest"] }, "node:test"],
  ['"jest"', "node:test"],
  ['{ "scripts": { "test": "jest"', "node:test"],
])("of %j is %s", (manifest, runner) => {
  expect(ofPackage(manifest)).toBe(runner);
});

test("a package without tests of its own does not hide those of another language", () => {
  expect(ofPackage({ description: "jest" }, ["go.mod"])).toBe("go");
  expect(ofPackage({ scripts: { test: "vitest" } }, ["go.mod"])).toBe("vitest");
});
