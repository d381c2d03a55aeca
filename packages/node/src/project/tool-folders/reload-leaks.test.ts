import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, expect, test } from "vitest";
import { putFile } from "../../../../../tests/temporary-folder.ts";
import { fieldsOf, type ProjectOnDisk, projectOnDisk, said } from "./project-on-disk.test.kit.ts";

const RELOADS = Number(process.env["TOOLKEEP_RUNS"] ?? 60);
const WARM_UP = 10;
const LOAD_NUMBERS = 50_000;
const LOAD_BYTES = LOAD_NUMBERS * 8;

let disk: ProjectOnDisk;

beforeEach(() => {
  disk = projectOnDisk();
});

test(`${RELOADS} reloads leave no modules, no tools and no memory behind`, async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const kept: WeakRef<object>[] = [];
  putFile(
    disk.tool("_lib.cjs"),
    `module.exports = Array.from({ length: ${LOAD_NUMBERS / 2} }, (_, at) => at + 0.5);`,
  );
  const { registry, source } = disk.open();
  const heapAfter = async (times: number): Promise<number> => {
    for (let at = 0; at < times; at += 1) {
      putFile(disk.tool("heavy.ts"), heavyTool(kept.length));
      await source.reload();
      const tool = registry.get("heavy")?.tool;
      if (tool !== undefined) kept.push(new WeakRef(tool));
    }
    await registry.settled();
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    return process.memoryUsage().heapUsed;
  };
  putFile(disk.tool("heavy.ts"), heavyTool(0));
  await source.enter(disk.project);
  const warm = await heapAfter(WARM_UP);
  const growth = (await heapAfter(RELOADS)) - warm;
  expect(await said(registry, "heavy")).toBe(LOAD_NUMBERS / 2);
  expect(kept).toHaveLength(RELOADS + WARM_UP);
  // Each version is large; keeping even a tenth of them would show.
  expect(growth).toBeLessThan((RELOADS * LOAD_BYTES) / 10);
  expect(kept.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(5);
  if (process.env["TOOLKEEP_RUNS"] !== undefined)
    console.log({ RELOADS, growth, wouldBe: RELOADS * LOAD_BYTES });
});

function heavyTool(version: number): string {
  return `import { defineTool } from "@toolkeep/core";
import lib from "./_lib.cjs";
const load = Array.from({ length: ${LOAD_NUMBERS / 2} }, (_, at) => at + 0.25);
export default defineTool({ ${fieldsOf("heavy")}, deactivate() {}, execute: () => load.length && lib.length, label: "${version}" });`;
}
