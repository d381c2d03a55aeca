import { mkdir, symlink } from "node:fs/promises";
import type { Tool } from "@toolkeep/core";
import { toolConformance } from "@toolkeep/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listTool } from "../../packages/tools/src/files/list-tool.ts";
import { type FileBench, openFileBench } from "./file-bench.ts";

let bench: FileBench;
beforeAll(async () => {
  bench = await openFileBench();
  await mkdir(bench.at(".git"));
  await bench.put(".gitignore", "built/\n");
  await bench.put("src/a.ts", "");
  await bench.put("src/deep/b.ts", "");
  await bench.put("built/c.js", "");
  await bench.put("README.md", "");
  await symlink(bench.top, bench.at("up"));
});
afterAll(() => bench.close());

test("lists files and folders, and omits hidden and ignored ones", async () => {
  expect((await bench.call("list", {})).data).toEqual(["README.md", "src/"]);
  expect((await bench.call("list", { all: true })).data).toEqual([
    ".gitignore",
    "README.md",
    "built/",
    "src/",
  ]);
});

test.each(["src", "src/", "./src//", "src/deep/.."])("accepts a folder in any notation: %s", async (path) => {
  expect((await bench.call("list", { path })).data).toEqual(["a.ts", "deep/"]);
});

test("is refused for a folder outside the workspace, for a link to one, and for a file", async () => {
  expect((await bench.call("list", { path: ".." })).failure?.code).toBe("out_of_scope");
  expect((await bench.call("list", { path: "up" })).failure?.code).toBe("out_of_scope");
  expect((await bench.call("list", { path: "missing" })).failure?.code).toBe("not_found");
  expect((await bench.call("list", { path: "README.md" })).ok).toBe(false);
});

test("shows a thousand names and keeps the rest", async () => {
  await Promise.all(Array.from({ length: 1_001 }, (_, index) => bench.put(`many/${index}`, "")));
  const result = await bench.call("list", { path: "many" });
  expect(result.truncation).toMatchObject({ unit: "entries", kept: 1_000, lost: 1 });
});

test("[C46] list declares that it reads the folder, needs no approval, and satisfies the tool contract", async () => {
  const session = bench.workspace.sessionOptions();
  const tool = listTool();
  const args = { path: bench.root };
  expect(await tool.effects?.(args, session.resolver)).toEqual([
    { capability: "fs.read", target: `${bench.root}/**`, partial: true, withoutSecrets: true },
  ]);
  expect(tool.gated).toBe(false);
  expect(
    await toolConformance(tool as Tool, {
      ...{ grantIo: session.grantIo, resolver: session.resolver, variables: session.variables },
      examples: [args, { ...args, all: true }],
      refuses: [{ path: "" }, { path: 1 }, { more: 1 }],
    }),
  ).toEqual([]);
});
