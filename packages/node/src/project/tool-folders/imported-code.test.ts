import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { putFile } from "../../../../../tests/temporary-folder.ts";
import { createProjectTrust, type TrustAnswer, type TrustRequest } from "../trust/project-trust.ts";
import { trustStore } from "../trust/trust-store.ts";
import { fieldsOf, namesIn, type ProjectOnDisk, projectOnDisk, said } from "./project-on-disk.test.kit.ts";

let disk: ProjectOnDisk;
let asked: TrustRequest[];

beforeEach(() => {
  disk = projectOnDisk();
  asked = [];
});

afterEach(() => {
  Reflect.deleteProperty(globalThis, "plantedRan");
});

const PLANTED = "globalThis.plantedRan = true;";
const inProject = (name: string) => join(disk.project, name);
const whys = () => asked.map(({ why, things }) => [why, ...things].join(" "));

/** One that gives these answers in order; the last one is repeated. */
function open(answers: readonly TrustAnswer[], again: "grown" | "changed" = "grown") {
  const decide = (request: TrustRequest) =>
    answers[Math.min(asked.push(request), answers.length) - 1] ?? "decline";
  const trust = createProjectTrust({ store: trustStore(join(disk.top, "trust.json")), again, decide });
  return disk.open("trust", { trust, userFolder: false });
}

/** A tool that returns what it imported. */
function importing(name: string): string {
  return `import { defineTool } from "@toolkeep/core"; import lib from "${name}";
export default defineTool({ ${fieldsOf("a")}, execute: () => lib.word ?? lib });`;
}

describe.each(["grown", "changed"] as const)("with `again: %j`, code that a tool imports", (again) => {
  test.each([
    ["compiled", "src/lib.ts", "../../src/lib.ts", (word: string) => `export default "${word}";`],
    ["CommonJS", "src/lib.cjs", "../../src/lib.cjs", (word: string) => `module.exports = "${word}";`],
    ["data", "src/lib.json", "../../src/lib.json", (word: string) => JSON.stringify({ word })],
    ["a package", "node_modules/lib/index.mjs", "lib", (word: string) => `export default "${word}";`],
  ])("is asked about when it changed, and not evaluated before: %s", async (_what, file, name, text) => {
    putFile(disk.tool("a.ts"), importing(name));
    putFile(inProject("node_modules/lib/package.json"), '{ "name": "lib", "exports": "./index.mjs" }');
    putFile(inProject(file), text("one"));
    const first = open(["trust"], again);
    expect((await first.source.enter(disk.project)).errors).toEqual([]);
    expect(await said(first.registry, "a")).toBe("one");
    expect(whys()).toEqual(["new"]);
    await first.source.close();

    const planted = file.endsWith(".json") ? text("two") : `${PLANTED} ${text("two")}`;
    putFile(inProject(file), planted);
    const declining = open(["decline"], again);
    expect(await declining.source.enter(disk.project)).toMatchObject({ untrusted: "it was declined" });
    expect(namesIn(declining.registry)).toEqual([]);
    expect(globalThis).not.toHaveProperty("plantedRan");
    expect(whys().at(-1)).toBe(`changed ${file}`);

    const trusting = open(["trust"], again);
    expect((await trusting.source.enter(disk.project)).errors).toEqual([]);
    expect(await said(trusting.registry, "a")).toBe("two");
    const later = open(["decline"], again);
    await later.source.enter(disk.project);
    expect(await said(later.registry, "a")).toBe("two");
    expect(asked).toHaveLength(3);
  });
});

describe("a file that was not imported before is asked about by name", () => {
  test("when it replaces another, or is imported by what was trusted", async () => {
    putFile(disk.tool("a.ts"), importing("../../src/lib"));
    putFile(inProject("src/lib.ts"), `export default "one";`);
    const { registry, source } = open(["trust", "decline"]);
    await source.enter(disk.project);
    putFile(inProject("src/lib.js"), `${PLANTED} export default "two";`);
    putFile(disk.tool("a.ts"), `${importing("../../src/lib")}\n`);
    expect(await source.reload()).toMatchObject({ removed: ["a"], untrusted: "it was declined" });
    expect(whys()).toEqual(["new", "grown src/lib.js"]);
    expect(namesIn(registry)).toEqual([]);
    expect(globalThis).not.toHaveProperty("plantedRan");
  });

  test("when its name is made up only while a file runs, whether or not that file catches it", async () => {
    const all = `const parts = readdirSync("${inProject("plugins")}").sort();
const words = parts.map((name) => { try { return require("${inProject("plugins")}/" + name); } catch { return "none"; } });`;
    putFile(
      disk.tool("a.ts"),
      `import { readdirSync } from "node:fs"; import { defineTool } from "@toolkeep/core"; ${all}
export default defineTool({ ${fieldsOf("a")}, execute: () => words.join() });`,
    );
    putFile(inProject("plugins/one.cjs"), `module.exports = "one";`);
    const first = open(["trust", "trust", "decline"]);
    await first.source.enter(disk.project);
    expect(await said(first.registry, "a")).toBe("one");
    expect(whys()).toEqual(["new", "grown plugins/one.cjs"]);
    const again = open(["decline"]);
    await again.source.enter(disk.project);
    expect(await said(again.registry, "a")).toBe("one");
    putFile(inProject("plugins/two.cjs"), `${PLANTED} module.exports = "two";`);
    const later = open(["decline"]);
    expect(await later.source.enter(disk.project)).toMatchObject({ untrusted: "it was declined" });
    expect(whys().at(-1)).toBe("grown plugins/two.cjs");
    expect(namesIn(later.registry)).toEqual([]);
    expect(globalThis).not.toHaveProperty("plantedRan");
  });

  test("when it is behind a link in `.toolkeep`", async () => {
    putFile(disk.tool("a.ts"), importing("./_lib.ts"));
    putFile(inProject("src/lib.ts"), `export default "one";`);
    await symlink("../../src/lib.ts", disk.tool("_lib.ts"));
    await open(["trust"]).source.enter(disk.project);
    putFile(inProject("src/lib.ts"), `${PLANTED} export default "two";`);
    await open(["decline"]).source.enter(disk.project);
    expect(whys()).toEqual(["new", "changed src/lib.ts"]);
    expect(globalThis).not.toHaveProperty("plantedRan");
  });
});

test("one question names all that a package brings, and types are not asked about", async () => {
  putFile(disk.tool("a.ts"), importing("../../src/lib.ts"));
  putFile(inProject("src/lib.ts"), `export default "one";`);
  await open(["trust"]).source.enter(disk.project);
  putFile(inProject("node_modules/lib/package.json"), '{ "name": "lib", "main": "./main.js" }');
  putFile(inProject("node_modules/lib/main.js"), `exports.word = require("./deep/er").word;`);
  putFile(inProject("node_modules/lib/deep/er.js"), `exports.word = require("../data.json").word;`);
  putFile(inProject("node_modules/lib/data.json"), `{ "word": "from afar" }`);
  putFile(inProject("src/types.ts"), "export type Word = string;");
  putFile(
    inProject("src/lib.ts"),
    `import type { Word } from "./types.ts"; import lib from "lib"; export default lib.word as Word;`,
  );
  const { registry, source } = open(["trust"]);
  expect((await source.enter(disk.project)).errors).toEqual([]);
  expect(await said(registry, "a")).toBe("from afar");
  expect(whys().slice(1)).toEqual([
    "grown node_modules/lib/data.json node_modules/lib/deep/er.js node_modules/lib/main.js src/lib.ts",
  ]);
});

test("what is loaded only when a tool is called is not evaluated either, if it was changed since", async () => {
  putFile(
    disk.tool("a.ts"),
    `import { defineTool } from "@toolkeep/core";
export default defineTool({ ${fieldsOf("a")}, execute: async () => (await import("../../src/lib.ts")).default });`,
  );
  putFile(inProject("src/lib.ts"), `export default "one";`);
  const { registry, source } = open(["trust"]);
  await source.enter(disk.project);
  putFile(inProject("src/lib.ts"), `${PLANTED} export default "two";`);
  expect(await said(registry, "a")).toBe("denied");
  expect(globalThis).not.toHaveProperty("plantedRan");
  putFile(inProject("src/lib.ts"), `export default "one";`);
  expect(await said(registry, "a")).toBe("one");
});

test("the files that tools are made of can be listed, for the sandbox of commands", async () => {
  putFile(disk.tool("a.ts"), `import "./_own.ts"; import "lib"; ${importing("../../link/lib.ts")}`);
  putFile(disk.tool("_own.ts"), "export {};");
  putFile(inProject("node_modules/lib/index.js"), "");
  await mkdir(inProject("src"));
  await symlink("src", inProject("link"));
  putFile(inProject("src/lib.ts"), `import data from "./data.json"; export default data.word;`);
  putFile(inProject("src/data.json"), '{ "word": "x" }');
  const { source } = open(["trust"]);
  expect(source.imports).toEqual([]);
  expect((await source.enter(disk.project)).errors).toEqual([]);
  const files = [inProject("src/data.json"), inProject("src/lib.ts")];
  expect(source.imports).toEqual([inProject("node_modules/lib"), ...files]);
  await rm(disk.tool("a.ts"));
  await source.reload();
  expect(source.imports).toEqual([]);
});
