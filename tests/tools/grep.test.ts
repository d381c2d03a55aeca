import { mkdir, readdir, symlink } from "node:fs/promises";
import type { Tool } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { scriptedApprover, toolConformance } from "@toolkeep/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grepTool } from "../../packages/tools/src/search/grep-tool.ts";
import { searchTool } from "../../packages/tools/src/search/search-tool.ts";
import { type FileBench, openFileBench } from "./file-bench.ts";

type Args = Readonly<Record<string, unknown>>;

let bench: FileBench;
let session: Awaited<ReturnType<FileBench["session"]>>;
beforeAll(async () => {
  bench = await openFileBench();
  session = await bench.session({ tools: [grepTool(), searchTool()] as Tool[] });
  await bench.put(".gitignore", "built/\n");
  await bench.put("src/a.ts", "one\ntwo\nthree\nfour\nfive\nsix two\n");
  await bench.put("src/b.md", "Two\n");
  await bench.put("built/c.ts", "two\n");
  await bench.put(".github/ci.yml", "two\n");
});
afterAll(async () => {
  await session.close();
  await bench.close();
});

const grep = (args: Args) => bench.call("grep", args, session);
const said = async (args: Args) => modelText(await grep(args));

describe("what grep shows", () => {
  test("[C45] matching lines by file, with context lines on request", async () => {
    expect(await said({ pattern: "t.o$" })).toBe("src/a.ts\n2:two\n6:six two");
    expect(await said({ pattern: "two", path: "src/a.ts" })).toBe("src/a.ts\n2:two\n6:six two");
    expect(await said({ pattern: "two", "-i": true, glob: "*.md" })).toBe("src/b.md\n1:Two");
    expect(await said({ pattern: "three", "-B": 1, "-A": 2 })).toBe(
      "src/a.ts\n2-two\n3:three\n4-four\n5-five",
    );
    expect(await said({ pattern: "two", path: "src", "-C": 1 })).toBe(
      "src/a.ts\n1-one\n2:two\n3-three\n--\n5-five\n6:six two",
    );
    expect(await said({ pattern: "one\\ntwo", multiline: true })).toBe("src/a.ts\n1:one\n2:two");
    expect((await grep({ pattern: "three" })).data).toEqual({
      matches: [{ path: bench.at("src/a.ts"), line: 3, text: "three" }],
      truncated: false,
    });
  });

  test("paths only, or the number of matching lines in each file", async () => {
    const files = { pattern: "two", "-i": true, output_mode: "files_with_matches", "-C": 3 };
    expect(await said(files)).toBe("src/a.ts\nsrc/b.md");
    expect((await grep(files)).data).toEqual({
      files: [bench.at("src/a.ts"), bench.at("src/b.md")],
      truncated: false,
    });
    const count = { pattern: "two", "-i": true, output_mode: "count" };
    expect(await said(count)).toBe("src/a.ts:2\nsrc/b.md:1");
    expect((await grep(count)).data).toMatchObject({ counts: [{ count: 2 }, { count: 1 }] });
  });

  test("no ignored file, and hidden files only if the glob names them", async () => {
    expect(await said({ pattern: "two", glob: "*.yml" })).toMatch(/^No matches\./);
    for (const pattern of ["two", "tw[o]"])
      expect(await said({ pattern, glob: ".github/**" })).toBe(".github/ci.yml\n1:two");
    expect(await said({ pattern: "two", path: "built" })).toBe("built/c.ts\n1:two");
  });

  test("only the beginning of a very long line", async () => {
    await bench.put("long/min.js", `needle ${"x".repeat(3_000)}\n`);
    const shown = await said({ pattern: "needle", path: "long" });
    expect(shown).toMatch(/^long\/min.js\n1:needle x+…$/);
    expect(shown.length).toBeLessThan(600);
  });
});

describe("the limits of grep", () => {
  test("[C110] stop it at two hundred matches, and it says that there are more", async () => {
    await bench.put("many/a.txt", "hit\n".repeat(200));
    const all = await grep({ pattern: "hit", path: "many" });
    expect(all.data).toMatchObject({ truncated: false, matches: { length: 200 } });
    await bench.put("many/b.txt", "hit\n".repeat(100_000));
    for (const pattern of ["hit", "h[i]t"]) {
      const cut = await grep({ pattern, path: "many" });
      expect(cut.data).toMatchObject({ truncated: true, matches: { length: 200 } });
      expect(modelText(cut)).toContain("Stopped at 200 lines; there are more.");
    }
    const two = await grep({ pattern: "hit", path: "many", head_limit: 2, "-A": 1 });
    expect(two.data).toMatchObject({ truncated: true });
    expect(modelText(two)).toMatch(/^many\/[ab]\.txt\n1:hit\n2:hit\n\n\(Stopped at 2 lines/);
  });

  test("stop it at the requested number of files, each counted to its end", async () => {
    await Promise.all(Array.from({ length: 5 }, (_, index) => bench.put(`five/${index}`, "x\nx\n")));
    const some = await grep({ pattern: "x", path: "five", output_mode: "count", head_limit: 3 });
    expect(some.data).toMatchObject({ truncated: true, counts: [{ count: 2 }, { count: 2 }, { count: 2 }] });
    const every = await grep({
      pattern: "x",
      path: "five",
      output_mode: "files_with_matches",
      head_limit: 5,
    });
    expect(every.data).toMatchObject({ truncated: false, files: { length: 5 } });
  });
});

describe("grep refuses", () => {
  test("[C69] to treat a pattern as an option or a program, or to run forever", async () => {
    await bench.put("odd/x.sh", "touch PWNED\n");
    await bench.put("odd/dash.txt", "a --pre=./x.sh here\n-n\n");
    await bench.put("odd/slow.txt", `${"a".repeat(60)}!\n`);
    expect(await said({ pattern: "--pre=./x.sh" })).toBe("odd/dash.txt\n1:a --pre=./x.sh here");
    expect(await said({ pattern: "-n" })).toBe("odd/dash.txt\n2:-n");
    const start = performance.now();
    for (const pattern of ["(a+)+$", "(?:a|aa)+$"])
      expect(await said({ pattern, path: "odd/slow.txt" })).toMatch(/^No matches\./);
    expect(performance.now() - start).toBeLessThan(60_000);
    for (const pattern of ["[", "(.*)\\1", "(?=a)b"])
      expect((await grep({ pattern })).failure?.code, pattern).toBe("invalid_arguments");
    expect(await readdir(bench.at("odd"))).not.toContain("PWNED");
  });

  test("[C69] a path or a glob that leads out of the workspace", async () => {
    await bench.put("../outside/c.txt", "CANARY\n");
    await symlink(`${bench.top}/outside`, bench.at("link"));
    expect(await said({ pattern: "CANARY" })).toMatch(/^No matches\./);
    for (const path of ["link", "..", "/etc/passwd"])
      expect((await grep({ pattern: ".", path })).failure?.code, path).toBe("out_of_scope");
    for (const glob of ["../*", "/etc/*"])
      expect((await grep({ pattern: ".", glob })).failure?.code, glob).toBe("invalid_arguments");
    expect((await grep({ pattern: ".", path: "missing" })).failure?.code).toBe("not_found");
  });
});

describe("files that contain secrets", () => {
  beforeAll(async () => {
    await bench.put("app/prod.env", "API_KEY=CANARY\n");
    await bench.put("app/server.pem", "CANARY\n");
    await bench.put("app/code.ts", "read(API_KEY)\n");
    await mkdir(bench.at(".ssh"), { recursive: true });
  });

  test("are omitted from a search through a tree, whatever the search", async () => {
    expect(await said({ pattern: "API_KEY" })).toBe("app/code.ts\n1:read(API_KEY)");
    expect(await said({ pattern: "API_KE[Y]", path: "app" })).toBe("app/code.ts\n1:read(API_KEY)");
    for (const output_mode of ["content", "files_with_matches", "count"])
      expect(await said({ pattern: "CANARY", output_mode })).toMatch(/^No matches\./);
    expect(await said({ pattern: "CANARY", path: ".ssh/.." })).toMatch(/^No matches\./);
  });

  test("reveal nothing: the result is the same whether or not they match", async () => {
    const asked = (pattern: string) => grep({ pattern, glob: "*.{env,pem}" });
    const [right, wrong] = [await asked("API_KEY=C"), await asked("API_KEY=D")];
    expect(modelText(right)).toBe(modelText(wrong));
    expect(modelText(right)).toContain("Files that contain secrets were omitted.");
    expect(right.data).toEqual(wrong.data);
  });

  test("are searched when named, which policy decides like reading the file", async () => {
    const approver = scriptedApprover("once");
    const asking = await bench.session({ tools: [grepTool() as Tool], approver });
    const result = await bench.call("grep", { pattern: "CANARY", path: "app/server.pem" }, asking);
    expect(modelText(result)).toBe("app/server.pem\n1:CANARY");
    expect(approver.requests.flatMap(({ effects }) => effects.map(({ target }) => target))).toContain(
      bench.at("app/server.pem"),
    );
    await asking.close();
    expect((await grep({ pattern: "CANARY", path: "app/server.pem" })).failure?.code).toBe("denied");
  });
});

test("[C59] search is grep with a pattern and a path only", async () => {
  const search = (args: Args) => bench.call("search", args, session);
  expect(modelText(await search({ pattern: "t.o$" }))).toBe("src/a.ts\n2:two\n6:six two");
  expect((await search({ pattern: "hit", path: "many" })).data).toMatchObject({
    truncated: true,
    matches: { length: 50 },
  });
  expect((await search({ pattern: "x", glob: "*" })).failure?.code).toBe("invalid_arguments");
});

test.each([grepTool(), searchTool()] as Tool[])(
  "[C46][C70] $name declares that it reads, needs no approval, labels its result, and satisfies the contract",
  async (tool) => {
    expect(tool).toMatchObject({ gated: false, mode: "read", kind: "search" });
    expect((await bench.call(tool.name, { pattern: "one" }, session)).labels).toContain("untrusted");
    const ports = bench.workspace.sessionOptions();
    const errors = await toolConformance(tool, {
      examples: [{ pattern: "o+", path: bench.at("src") }],
      refuses: [{}, { pattern: "" }, { pattern: "x", output_mode: "all" }, { pattern: "x", limit: 1 }],
      ...{ grantIo: ports.grantIo, resolver: ports.resolver, variables: ports.variables },
    });
    expect(errors).toEqual([]);
  },
);
