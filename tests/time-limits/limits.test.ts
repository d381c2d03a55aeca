import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const HOOK = /^(\s*)(?:before|after)(?:All|Each)\([\s\S]*?^\1\}(?<limit>, [^)]+)?\);/gm;

/** The limits that hooks in a text have of their own. */
function limitsOfHooks(text: string): readonly string[] {
  return [...text.matchAll(HOOK)].flatMap(({ groups }) => groups?.["limit"] ?? []);
}

test("no hook has a limit of its own: all get ten times the usual time of their file", () => {
  const hook = (limit: string) => `  beforeAll(async () => {\n    await open();\n  }${limit});\n`;
  expect(limitsOfHooks(hook("") + hook(", 600_000") + hook(", LONGEST_MS"))).toEqual([
    ", 600_000",
    ", LONGEST_MS",
  ]);
  const files = globSync(["packages/*/src/**/*.test.ts", "tests/**/*.ts"], { cwd: ROOT });
  expect(files.length).toBeGreaterThan(500);
  const found = files.filter((file) => limitsOfHooks(readFileSync(join(ROOT, file), "utf8")).length > 0);
  expect(found).toEqual([]);
});

test("usual times are those of files that exist", () => {
  const usual = JSON.parse(readFileSync(join(import.meta.dirname, "usual-seconds.json"), "utf8"));
  expect(Object.keys(usual).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
