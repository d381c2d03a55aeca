import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSurface } from "../scripts/surface/api-report.ts";
import { type EntryPoint, publicEntryPoints } from "../scripts/surface/entry-points.ts";

const DECLARATIONS = `
/** A summary. */
export declare function open(path: string): Handle;
export interface Handle { readonly path: Path }
/** Not exported, but part of what is. */
type Path = string;
/** A summary. */
export declare const LIMIT = 3;
export {};
`;

test("names, missing summaries and types are read from declarations", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "surface-test-"));
  const surface = surfaceOf(folder.path, DECLARATIONS);
  expect(surface.names).toEqual(["Handle", "LIMIT", "open"]);
  expect(surface.undocumented).toEqual(["Handle"]);
});

test("a changed type changes the report, also one that is only reached through an export", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "surface-test-"));
  const before = surfaceOf(folder.path, DECLARATIONS).report;
  expect(surfaceOf(folder.path, DECLARATIONS).report).toBe(before);
  const reached = surfaceOf(folder.path, DECLARATIONS.replace("type Path = string", "type Path = URL"));
  expect(reached.report).not.toBe(before);
});

test("every entry point has a report except the internal ones", () => {
  const reports = publicEntryPoints().map(({ report }) => report);
  expect(reports).toContain("api/core.api.md");
  expect(new Set(reports).size).toBe(reports.length);
  expect(reports.filter((report) => report.includes("internal"))).toEqual([]);
});

function surfaceOf(folder: string, declarations: string) {
  const manifest = { name: "planted", version: "1.0.0" };
  mkdirSync(join(folder, "new"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.d.ts"), declarations);
  const entryPoint: EntryPoint = {
    name: "planted",
    package: { folder, manifest },
    isMain: true,
    declarations: join(folder, "index.d.ts"),
    report: "api/planted.api.md",
  };
  return readSurface(entryPoint, folder);
}
