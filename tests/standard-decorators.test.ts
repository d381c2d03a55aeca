import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "toolkeep-decorators-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("[C119] a method is registered by a standard decorator, as TypeScript compiles it", () => {
  const source = join(import.meta.dirname, "decorators/decorated-tools.ts");
  const tsc = [join(root, "node_modules/typescript/bin/tsc"), source, "--outDir", folder, "--ignoreConfig"];
  const settings = ["--noCheck", "--noResolve", "--target", "es2024", "--module", "esnext", "--types", ""];
  execFileSync(process.execPath, [...tsc, ...settings]);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const compiled = join(folder, "decorated-tools.js");
  const output = execFileSync(process.execPath, ["--conditions=@toolkeep/source", compiled]);
  expect(JSON.parse(output.toString())).toEqual({
    before: ["count_events", "now"],
    after: ["count_events", "now", "events"],
    modes: ["read", "external", "read"],
    data: [6, "Ada on friday", "friday"],
  });
});
