import { symlink, utimes } from "node:fs/promises";
import type { Tool } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { toolConformance } from "@toolkeep/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { globTool } from "../../packages/tools/src/search/glob-tool.ts";
import { type FileBench, openFileBench } from "./file-bench.ts";

let bench: FileBench;
let session: Awaited<ReturnType<FileBench["session"]>>;
beforeAll(async () => {
  bench = await openFileBench();
  session = await bench.session({ tools: [globTool() as Tool] });
  await bench.put(".gitignore", "built/\n*.log\n");
  for (const path of ["src/a.ts", "src/deep/b.ts", "src/c.tsx", "built/d.ts", "e.log", ".github/ci.yml"])
    await bench.put(path, "x");
  await bench.put(".git/config", "x");
  for (const [path, time] of Object.entries({ "src/a.ts": 100, "src/deep/b.ts": 300, "src/c.tsx": 200 }))
    await utimes(bench.at(path), time, time);
});
afterAll(async () => {
  await session.close();
  await bench.close();
});

const glob = (args: Readonly<Record<string, unknown>>) => bench.call("glob", args, session);
const said = async (args: Readonly<Record<string, unknown>>) => modelText(await glob(args));

test("[C45] glob lists matching files, the newest first, with paths in the form of the request", async () => {
  expect(await said({ pattern: "**/*.{ts,tsx}" })).toBe("src/deep/b.ts\nsrc/c.tsx\nsrc/a.ts");
  expect(await said({ pattern: "*.ts", path: "src" })).toBe("src/a.ts");
  expect(await said({ pattern: "**/b.ts", path: "./src/" })).toBe("./src/deep/b.ts");
  expect(await said({ pattern: "*.ts", path: bench.at("src") })).toBe(bench.at("src/a.ts"));
  expect((await glob({ pattern: "src/*.tsx" })).data).toEqual({
    files: [bench.at("src/c.tsx")],
    truncated: false,
  });
  expect(await said({ pattern: "**/*.rs" })).toBe("No files match.");
});

test("never lists ignored files, and lists hidden files only if the pattern names them", async () => {
  expect(await said({ pattern: "**/*.log" })).toBe("No files match.");
  expect(await said({ pattern: "**/*.yml" })).toBe("No files match.");
  expect(await said({ pattern: ".github/**" })).toBe(".github/ci.yml");
  expect(await said({ pattern: "**/.*/*" })).toBe(".github/ci.yml");
});

test("[C110] glob returns the thousand newest files and says that there are more", async () => {
  const paths = Array.from({ length: 1_002 }, (_, index) => `many/${index}`);
  await Promise.all(paths.map((path) => bench.put(path, "")));
  for (const oldest of ["many/7", "many/700"]) await utimes(bench.at(oldest), 1, 1);
  const result = await glob({ pattern: "many/*" });
  const { files, truncated } = result.data as { files: string[]; truncated: boolean };
  expect(files).toHaveLength(1_000);
  expect(files).not.toContain(bench.at("many/7"));
  expect(files).not.toContain(bench.at("many/700"));
  expect(truncated).toBe(true);
  expect(modelText(result)).toContain("These are the 1000 most recent; there are more.");
  const few = await bench.session({ tools: [globTool({ limit: 2 }) as Tool] });
  expect((await bench.call("glob", { pattern: "many/*" }, few)).data).toMatchObject({ truncated: true });
  expect((await bench.call("glob", { pattern: "src/*" }, few)).data).toMatchObject({ truncated: false });
  await few.close();
});

test("[C69] stays in the workspace, for any pattern and path", async () => {
  await symlink(bench.top, bench.at("up"));
  await bench.put("../outside.ts", "x");
  expect(await said({ pattern: "**/outside.ts" })).toBe("No files match.");
  for (const pattern of ["../*", "/etc/*", "{a,../b}/*"])
    expect((await glob({ pattern })).failure?.code, pattern).toBe("invalid_arguments");
  for (const path of ["..", "up", "/etc"])
    expect((await glob({ pattern: "**", path })).failure?.code, path).toBe("out_of_scope");
  expect((await glob({ pattern: "**", path: "missing" })).failure?.code).toBe("not_found");
  for (const pattern of ["--files-from=/etc/passwd", "!src/a.ts", "{1..100000000}"])
    expect(await said({ pattern }), pattern).toBe("No files match.");
});

test("a name with a line break looks like one name", async () => {
  await bench.put("odd/x\nsrc", "x");
  expect(await said({ pattern: "odd/*" })).toBe("odd/x\\x0asrc");
});

test("[C46] glob declares that it reads, needs no approval, labels its result untrusted, and satisfies the contract", async () => {
  const tool = globTool() as Tool;
  expect(tool).toMatchObject({ gated: false, mode: "read" });
  expect((await glob({ pattern: "*" })).labels).toContain("untrusted");
  const ports = bench.workspace.sessionOptions();
  expect(await tool.effects?.({ pattern: "*", path: bench.root }, ports.resolver)).toEqual([
    { capability: "fs.read", target: bench.root },
    { capability: "fs.read", target: `${bench.root}/**`, partial: true, withoutSecrets: true },
  ]);
  const errors = await toolConformance(tool, {
    examples: [{ pattern: "**/*.ts", path: bench.root }],
    refuses: [{}, { pattern: "" }, { pattern: "*", depth: 1 }, { pattern: 1 }],
    ...{ grantIo: ports.grantIo, resolver: ports.resolver, variables: ports.variables },
  });
  expect(errors).toEqual([]);
});
