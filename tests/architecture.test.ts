import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { circleErrors, type Floors, floorErrors, packageErrors } from "./architecture/import-errors.ts";
import { FLOORS, PACKAGE_IMPORTS } from "./architecture/layers.ts";
import { catchAllErrors, entryPointErrors, exportAllErrors } from "./architecture/naming-errors.ts";
import { portabilityErrors } from "./architecture/portability-errors.ts";
import { readSources, type SourceFile } from "./architecture/source-file.ts";

const ROOT = join(import.meta.dirname, "..");

describe("our sources", () => {
  const core = readSources(join(ROOT, "packages/core/src"));
  const everything = ["packages", "tests", "scripts", "examples", "benchmarks"]
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readSources(join(ROOT, folder)).map((file) => ({ ...file, path: `${folder}/${file.path}` })),
    );

  test.each(packages())("folders of $name import only what is below them, by types too", ({ folder }) => {
    const files = readSources(join(ROOT, folder, "src"));
    expect(files.length).toBeGreaterThan(0);
    expect(floorErrors(files, FLOORS[basename(folder)] ?? {})).toEqual([]);
  });

  test.each(packages())("no files of $name import each other, by types too", ({ folder }) => {
    expect(circleErrors(readSources(join(ROOT, folder, "src")))).toEqual([]);
  });

  test("core runs anywhere: it imports nothing of Node and uses none of its globals", () => {
    expect(portabilityErrors(core)).toEqual([]);
  });

  test("packages import only the packages they may", () => {
    const errors = packages().flatMap(({ name, folder }) =>
      packageErrors({ name, files: readSources(join(ROOT, folder, "src")), allowed: PACKAGE_IMPORTS }),
    );
    expect(errors).toEqual([]);
  });

  // The build refuses a program that uses what it does not declare.
  test("what the program declares has the ranges of its parts", () => {
    const manifest = (name: string) =>
      JSON.parse(readFileSync(join(ROOT, "packages", name, "package.json"), "utf8"));
    const program = manifest("cli");
    const parts = Object.keys(program.devDependencies).map((name) =>
      manifest(name.replace("@toolkeep/", "")),
    );
    expect(Object.keys(program.dependencies).filter((name) => name.startsWith("@toolkeep/"))).toEqual([]);
    const ofParts: Record<string, string> = Object.assign(
      {},
      ...parts.map(({ dependencies }) => dependencies),
    );
    const shared = Object.keys(ofParts).filter((name) => name in program.dependencies);
    expect(shared.length).toBeGreaterThan(0);
    expect(program.dependencies).toMatchObject(
      Object.fromEntries(shared.map((name) => [name, ofParts[name]])),
    );
    for (const kind of ["peerDependencies", "optionalDependencies"])
      expect(program[kind]).toEqual(Object.assign({}, ...parts.map((part) => part[kind])));
  });

  test("no file has a catch-all name", () => {
    expect(catchAllErrors(everything)).toEqual([]);
  });

  test("nothing exports everything", () => {
    expect(exportAllErrors(everything)).toEqual([]);
  });

  test("an index is always a published entry point", () => {
    const entryPoints = packages().flatMap(({ entryPoints }) => entryPoints);
    expect(entryPointErrors(everything, entryPoints)).toEqual([]);
  });
});

describe("planted imports are found", () => {
  const TWO: Floors = { "": [["low"], ["left", "right"], ["high"], ["."]], high: [["deep"], ["."]] };

  test("an import upwards, sideways, of the entry point, by type, within a folder, and a folder without a floor", () => {
    const files = [
      file("low/a.ts", 'import { b } from "../high/b.ts";'),
      file("left/a.ts", 'import type { B } from "../right/b.ts";'),
      file("right/b.ts", 'export { x } from "../index.ts"; const later = import("../high/b.ts");'),
      file("high/deep/a.ts", 'import type { B } from "../b.ts";'),
      file("stray/thing.ts", ""),
      file("low/deep/thing.ts", ""),
    ];
    expect(floorErrors(files, TWO)).toEqual([
      "stray has no floor",
      "low/deep has no floor",
      "low/a.ts imports high/b.ts, which is not below it",
      "left/a.ts imports right/b.ts, which is not below it",
      "right/b.ts imports index.ts, which is not below it",
      "right/b.ts imports high/b.ts, which is not below it",
      "high/deep/a.ts imports high/b.ts, which is not below it",
    ]);
  });

  test("folders that import each other, whatever the floors say", () => {
    const files = [
      file("low/a.ts", 'import type { B } from "../high/b.ts";'),
      file("high/b.ts", 'import { a } from "../low/a.ts";'),
    ];
    const either = [TWO, { "": [["high"], ["low"]] }, { "": [["high", "low"]] }];
    for (const floors of either) expect(floorErrors(files, floors)).not.toEqual([]);
  });

  test("files that import each other, in a pair and in a longer circle, by types", () => {
    const files = [
      file("a.ts", 'import type { B } from "./b.ts";'),
      file("b.ts", 'import { a } from "./a.ts";'),
      file("x/c.ts", 'import "./d.ts";'),
      file("x/d.ts", 'import type { E } from "./e.ts";'),
      file("x/e.ts", 'const c = import("./c.ts");'),
      file("x/f.ts", 'import "./c.ts";'),
    ];
    expect(circleErrors(files)).toEqual([
      "a.ts imports b.ts imports a.ts",
      "x/c.ts imports x/d.ts imports x/e.ts imports x/c.ts",
    ]);
  });

  test("but not an import downwards, within a folder, in a test, a comment or a string", () => {
    const files = [
      file("high/a.ts", 'import { a } from "../low/a.ts"; import { c } from "./deep/c.ts";'),
      file("high/deep/c.ts", 'import { b } from "./b.ts"; import type { D } from "../../low/d.ts";'),
      file("low/a.ts", '// import x from "../high/x.ts"\nconst text = \'from "../high/x.ts"\';'),
      file("low/a.test.ts", 'import { a } from "../high/a.ts";'),
      file("low/a.test.kit.ts", 'import { a } from "../high/a.ts";'),
      file("index.ts", 'export { a } from "./high/a.ts";'),
    ];
    expect(floorErrors(files, TWO)).toEqual([]);
    expect(circleErrors(files)).toEqual([]);
  });

  test("a package that imports another than it may, reaches into its folder, or is unknown", () => {
    const files = [
      file("a.ts", 'import { x } from "@toolkeep/tools"; import { y } from "@toolkeep/core/testing";'),
      file("b.ts", 'import { z } from "../../node/src/z.ts"; import { toolkeeper } from "toolkeeper";'),
    ];
    expect(packageErrors({ name: "@toolkeep/openapi", files, allowed: PACKAGE_IMPORTS })).toEqual([
      "@toolkeep/openapi: a.ts may not import @toolkeep/tools",
      "@toolkeep/openapi: b.ts may not import ../../node/src/z.ts",
    ]);
    expect(packageErrors({ name: "@toolkeep/more", files: [], allowed: PACKAGE_IMPORTS })).toEqual([
      "@toolkeep/more is not in the table of packages",
    ]);
  });
});

describe("planted words are found", () => {
  test("Node's modules and globals, and the network, but not words that only look like them", () => {
    const files = [
      file("a.ts", 'import { readFile } from "node:fs/promises"; import type { Stats } from "fs";'),
      file("b.ts", "process.exit(); type B = Buffer; const o = { fetch }; globalThis['require'];"),
      file("c.ts", "// process\nconst s = 'Buffer'; io.fetch(s); interface N { fetch(): void; process: 1 }"),
    ];
    expect(portabilityErrors(files)).toEqual([
      "a.ts imports node:fs/promises",
      "a.ts imports fs",
      "b.ts uses the global process",
      "b.ts uses the global Buffer",
      "b.ts uses the global fetch",
      "b.ts uses the global require",
    ]);
  });

  test("catch-all names, re-exports of everything, and indexes that are not entry points", () => {
    const names = ["src/string-utils.ts", "src/shared/x.ts", "src/call-manager.test.ts", "src/database.ts"];
    expect(catchAllErrors(names.map((path) => file(path, "")))).toEqual([
      'src/string-utils.ts is named "utils"',
      'src/shared/x.ts is named "shared"',
      'src/call-manager.test.ts is named "manager"',
    ]);
    const all = [file("a.ts", 'export * from "./b.ts";'), file("b.ts", 'export * as c from "./c.ts";')];
    expect(exportAllErrors(all)).toEqual(["a.ts exports *", "b.ts exports *"]);
    const indexes = [file("p/src/index.ts", ""), file("p/src/x/index.ts", ""), file("p/src/my-index.ts", "")];
    expect(entryPointErrors(indexes, ["p/src/index.ts"])).toEqual([
      "p/src/x/index.ts is an index but not a published entry point",
    ]);
  });
});

interface PackageManifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>> | string>>;
}

function packages(): readonly { name: string; folder: string; entryPoints: readonly string[] }[] {
  return globSync("packages/*/package.json", { cwd: ROOT }).map((path) => {
    const manifest = JSON.parse(readFileSync(join(ROOT, path), "utf8")) as PackageManifest;
    const folder = join(path, "..");
    const sources = Object.values(manifest.exports ?? {}).flatMap((entryPoint) =>
      typeof entryPoint === "string" ? [] : [entryPoint["@toolkeep/source"] ?? []].flat(),
    );
    return { name: manifest.name, folder, entryPoints: sources.map((source) => join(folder, source)) };
  });
}

function file(path: string, text: string): SourceFile {
  return { path, text };
}
