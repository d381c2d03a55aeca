import { expect, test } from "vitest";
import { fileListErrors } from "../scripts/file-list-errors.ts";

const MANIFEST = {
  name: "a",
  version: "1.0.0",
  files: ["dist", "!dist/**/*.test.*", "README.md", "LICENSE", "a.schema.json"],
  bin: { a: "./dist/main.js" },
  exports: {
    ".": { "@toolkeep/source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./schema": "./a.schema.json",
  },
};
const FILES = [
  ...["package.json", "README.md", "LICENSE", "a.schema.json"],
  ...["dist/main.js", "dist/index.js", "dist/index.d.ts", "dist/deep/one.d.ts"],
];

test("a tarball with what its manifest names has no errors", () => {
  expect(fileListErrors(MANIFEST, FILES)).toEqual([]);
});

test.each([
  ["dist/index.test.js", "dist/index.test.js should not be there"],
  ["dist/.tsbuildinfo", "dist/.tsbuildinfo should not be there"],
  ["dist/index.ts", "dist/index.ts should not be there"],
  ["src/index.ts", "src/index.ts is not in the field files"],
  [".env", ".env is not in the field files"],
  ["notes.md", "notes.md is not in the field files"],
])("a tarball with %s has an error", (file, error) => {
  expect(fileListErrors(MANIFEST, [...FILES, file])).toContain(error);
});

test.each([
  ["LICENSE", "LICENSE is missing"],
  ["README.md", "README.md is missing"],
  ["dist/main.js", "package.json names dist/main.js, which is missing"],
  ["dist/index.d.ts", "package.json names dist/index.d.ts, which is missing"],
  ["a.schema.json", "a.schema.json is in the field files, and nothing of it is there"],
])("a tarball without %s has an error", (file, error) => {
  expect(
    fileListErrors(
      MANIFEST,
      FILES.filter((one) => one !== file),
    ),
  ).toContain(error);
});
