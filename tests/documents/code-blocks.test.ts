import { mkdirSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { plainValue, readJsonc } from "../../packages/node/src/project/config/jsonc-tree.ts";
import { checkPolicy } from "../../packages/policy/src/files/check-policy.ts";
import { runProgram } from "../../scripts/run-program.ts";
import { type Block, blocksIn, PAGES, ROOT } from "./pages.ts";

/** Pages of React are built with the route next to them by `npm run packages`. */
const REACT = blocksIn("tsx");
const CODE = [...blocksIn("ts"), ...REACT];
/** An example is a program of its own, which CI runs. */
const ALONE = blocksIn("ts").filter(({ comment }) => !comment.startsWith("examples/"));
/** The first line of a block that cannot stand alone. */
const CONTINUES = "// Continues the program above.";

const named = ({ page, line }: Block) => `${page}:${line}`;

/** The file of a block. Blocks of a page are in one folder, so that named ones can import each other. */
function fileOf({ page, line, comment }: Block): string {
  const name = /^file: (\S+)$/.exec(comment)?.[1] ?? `line-${line}.ts`;
  return join(page.replaceAll(/[/.]/g, "-"), name);
}

/** The text of a block, with what it continues. */
function wholeText(block: Block): string {
  if (!block.text.startsWith(CONTINUES)) return block.text;
  const above = ALONE.findLast(({ page, line }) => page === block.page && line < block.line);
  return above === undefined ? block.text : wholeText(above) + block.text;
}

/** Packages that a page tells to install, the types of Node among them. */
function installedBy(page: string): ReadonlySet<string> {
  const lines = PAGES.get(page)?.matchAll(/^ *(?:npm install|npm i) ([^#\n]*)/gm) ?? [];
  return new Set(Array.from(lines, ([, names = ""]) => names.split(/\s+/)).flat());
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

test("every TypeScript block of the documentation compiles as a module of its own", async () => {
  expect(ALONE.length).toBeGreaterThan(1);
  using folder = mkdtempDisposableSync(join(tmpdir(), "toolkeep-blocks-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder.path, "node_modules"));
  writeFileSync(join(folder.path, "package.json"), '{ "type": "module" }');
  const files = new Map(ALONE.map((block) => [fileOf(block), block]));
  expect(files.size).toBe(ALONE.length);
  for (const [file, block] of files) {
    mkdirSync(join(folder.path, dirname(file)), { recursive: true });
    writeFileSync(join(folder.path, file), `${wholeText(block)}\nexport {};\n`);
  }
  const compilerOptions = { typeRoots: ["node_modules/@types"] };
  const settings = { extends: join(ROOT, "tsconfig.check.json"), compilerOptions, include: ["*/*"] };
  writeFileSync(join(folder.path, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await runProgram([process.execPath, compiler, "-p", "."], { cwd: folder.path });
  expect(stdout).toBe("");
});

test("the only page of React is the one that is built from packed packages", () => {
  expect(REACT.map(({ page }) => page)).toEqual(["packages/ai/README.md"]);
});

test.each([...new Set(CODE.map(({ page }) => page))])(
  "the code of %s imports only packages that the page says to install",
  (page) => {
    const code = CODE.filter((block) => block.page === page).map(({ text }) => text);
    const imports = code.flatMap((text) => [...text.matchAll(/(?:from|import) "([^".][^"]*)"/g)]);
    const missing = imports
      .map(([, name = ""]) => packageOf(name))
      .filter((name) => !name.startsWith("node:") && !installedBy(page).has(name));
    expect([...new Set(missing)]).toEqual([]);
  },
);

const isPolicy = (value: unknown) =>
  typeof value === "object" && value !== null && ("rules" in value || "extends" in value);

test("every YAML block is valid, and one of a policy has no errors and no warnings", () => {
  const found = blocksIn("yaml").flatMap((block) => {
    if (!isPolicy(parse(block.text))) return [];
    // A page may show a part of a file.
    const whole = block.text.includes("version:") ? block.text : `version: 1\n${block.text}`;
    const { diagnostics, warnings } = checkPolicy(whole, { file: named(block), scope: "manifest" });
    return [...diagnostics, ...warnings];
  });
  expect(found).toEqual([]);
});

const schema = JSON.parse(readFileSync(join(ROOT, "packages/node/config.schema.json"), "utf8"));
const isConfig = new Ajv({ strict: false }).compile(schema);

test("every JSON block is valid, and one with comments is a configuration that fits the schema", () => {
  for (const block of blocksIn("json")) {
    // What a command shows may be left out in part.
    if (!block.comment.startsWith("shows: "))
      expect(() => JSON.parse(block.text), named(block)).not.toThrow();
  }
  for (const block of blocksIn("jsonc")) {
    const { root, errors } = readJsonc(block.text.replaceAll(/"[A-Z]+-PUBLIC-KEY"/g, '"ssh-ed25519 AAAA"'));
    isConfig(root && plainValue(root));
    expect([...errors, ...(isConfig.errors ?? [])], named(block)).toEqual([]);
  }
});
