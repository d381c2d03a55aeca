import { globSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileListErrors } from "../scripts/file-list-errors.ts";
import { publishedPackages } from "../scripts/packages.ts";
import { formulaErrors, formulaOf } from "../scripts/release/formula.ts";
import { publishOrder } from "../scripts/release/publish-order.ts";
import { errorsIn, workflowErrors } from "../scripts/release/workflow-errors.ts";
import { ROOT } from "../scripts/root.ts";

const CHANGESETS = join(ROOT, ".changeset");

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

test("every changeset names packages that exist, with a level and a text", () => {
  const known = publishedPackages().map(({ manifest }) => manifest.name);
  const files = globSync("*.md", { cwd: CHANGESETS });
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const [, head = "", text = ""] =
      /^---\n([\s\S]*?)---\n([\s\S]*)$/.exec(readFileSync(join(CHANGESETS, file), "utf8")) ?? [];
    const named = Array.from(head.matchAll(/^(["']?)(.+)\1: (?:major|minor|patch)$/gm), ([, , name]) => name);
    expect(named.length, file).toBe(head.trim().split("\n").length);
    expect(known, file).toEqual(expect.arrayContaining(named));
    expect(text.trim(), file).not.toBe("");
  }
});

test("the workflows and actions name scripts that exist, pin what they use, and ask for no more than they need", () => {
  expect(workflowErrors(ROOT)).toEqual([]);
});

const WORKFLOW = `
permissions: { contents: read }
jobs:
  one:
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@v6
      - run: npm run types
`;

test.each([
  ["npm run types", "npm run typos", "npm run typos does not exist"],
  ["@v6", "@main", "actions/checkout@main is not pinned to a version"],
  ["contents: read", "contents: write-all", "permissions: contents: write-all is more than it needs"],
  ["permissions: { contents: read }\n", "", "has no permissions at its top"],
  [
    "npm run types",
    ["echo $", "{{ github.head_ref }}"].join(""),
    "a value of the forge is put into a script: give it in env",
  ],
  ["    timeout-minutes: 5\n", "    needs: two\n", "one: needs two, which does not exist"],
  ["actions/checkout@v6", "./integrations/none", "./integrations/none has no action.yml"],
])("a workflow is checked: %j as %j has an error", (from, to, error) => {
  const repository = { root: ROOT, scripts: ["types"] };
  expect(errorsIn(WORKFLOW, repository)).toEqual([]);
  expect(errorsIn(WORKFLOW.replace(from, to), repository)).toContain(error);
});

test("packages are published after those that they depend on", () => {
  const of = (name: string, ...others: string[]) => ({
    folder: name,
    manifest: {
      name,
      version: "1.0.0",
      dependencies: Object.fromEntries(others.map((one) => [one, "1.0.0"])),
    },
  });
  const order = publishOrder([of("a", "c"), of("b", "a", "zod"), of("c")]);
  expect(order.map(({ folder }) => folder)).toEqual(["c", "a", "b"]);
  expect(() => publishOrder([of("a", "b"), of("b", "a")])).toThrow("a → b → a is a circle");
});

test("a formula has the version and the digest of the tarball", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "toolkeep-formula-"));
  const tarball = join(folder.path, "toolkeep.tgz");
  writeFileSync(tarball, "abc");
  const formula = formulaOf(ROOT, { version: "1.2.3", tarball });
  expect(formula).toContain("toolkeep-1.2.3.tgz");
  expect(formula).toContain("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(formulaErrors(formula)).toEqual([]);
  expect(formulaErrors(formula.replace("1.2.3", "{{version}}").replace("  end\n", ""))).toHaveLength(2);
});
