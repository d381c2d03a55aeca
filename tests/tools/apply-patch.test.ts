import { chmod, readdir, rm, stat, symlink } from "node:fs/promises";
import type { Tool } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import type { EffectResolver } from "@toolkeep/core/ports";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { applyPatchTool } from "../../packages/tools/src/patches/apply-patch-tool.ts";
import { type FileBench, fileTools, openFileBench } from "./file-bench.ts";

let bench: FileBench;
let session: Awaited<ReturnType<FileBench["session"]>>;
beforeAll(async () => {
  bench = await openFileBench();
  session = await bench.session({ tools: [...fileTools(), applyPatchTool() as Tool] });
});
afterEach(async () => {
  for (const name of await readdir(bench.root)) await rm(bench.at(name), { recursive: true });
});
afterAll(async () => {
  await session.close();
  await bench.close();
});

const apply = (...lines: readonly string[]) =>
  bench.call("apply_patch", { patch: lines.join("\n") }, session);
const envelope = (...lines: readonly string[]) => apply("*** Begin Patch", ...lines, "*** End Patch", "");

describe("a patch between its marks", () => {
  test("adds, updates, moves and deletes files at once", async () => {
    await bench.put("a.ts", "one\ntwo\nthree\n");
    await bench.put("b.ts", "b\n");
    await bench.put("c.ts", "c\n");
    const result = await envelope(
      ...["*** Update File: a.ts", "@@", " one", "-two", "+2", " three"],
      ...["*** Update File: b.ts", "*** Move to: lib/b.ts", "-b", "+B"],
      ...["*** Delete File: c.ts", "*** Add File: new/d.ts", "+d", "+"],
    );
    expect(modelText(result)).toBe(
      "Updated a.ts: +1 -1 lines.\nMoved b.ts to lib/b.ts: +1 -1 lines.\nDeleted c.ts.\nAdded new/d.ts: +2 lines.",
    );
    expect(await bench.text("a.ts")).toBe("one\n2\nthree\n");
    expect(await bench.text("lib/b.ts")).toBe("B\n");
    expect(await bench.text("new/d.ts")).toBe("d\n\n");
    expect((await readdir(bench.root)).toSorted()).toEqual(["a.ts", "lib", "new"]);
    expect(result.details).toMatchObject({
      files: [{ path: bench.at("a.ts"), diff: expect.stringContaining("-two\n+2") }, {}, {}, {}],
    });
  });

  test("changes nothing if one part does not fit, and shows the nearest lines with their numbers", async () => {
    await bench.put("a.ts", "one\n");
    await bench.put("b.ts", "function first() {}\nfunction second() { return 2; }\n");
    const result = await envelope(
      ...["*** Update File: a.ts", "-one", "+1", "*** Add File: c.ts", "+c"],
      ...[
        "*** Update File: b.ts",
        "@@",
        "-function second() { return 3; }",
        "+function second() { return 4; }",
      ],
    );
    expect(result.failure).toMatchObject({ code: "conflict" });
    const said = modelText(result);
    expect(said).toContain('Nothing was changed. Hunk 1 of "b.ts" (line 8 of the patch) does not fit.');
    expect(said).toContain("     2\tfunction second() { return 2; }");
    expect(await bench.text("a.ts")).toBe("one\n");
    expect((await readdir(bench.root)).toSorted()).toEqual(["a.ts", "b.ts"]);
  });

  test("finds a hunk after its anchors, and one at the end of the file", async () => {
    await bench.put("a.py", "class A:\n  def f():\n    pass\nclass B:\n  def f():\n    pass\n");
    await envelope(
      ...["*** Update File: a.py", "@@ class B:", "@@   def f():", "-    pass", "+    return 1"],
    );
    expect(await bench.text("a.py")).toBe(
      "class A:\n  def f():\n    pass\nclass B:\n  def f():\n    return 1\n",
    );
    await bench.put("x", "a\nb\na\n");
    await envelope("*** Update File: x", "-a", "+z", "*** End of File");
    expect(await bench.text("x")).toBe("a\nb\nz\n");
  });

  test("says which anchor is missing, and that a change was made already", async () => {
    await bench.put("a", "one\ntwo\n");
    expect(modelText(await envelope("*** Update File: a", "@@ three", "-one", "+1"))).toContain(
      'there is no line "three"',
    );
    expect(modelText(await envelope("*** Update File: a", "-one", "-2", "+one", "+two"))).toContain(
      "The file has the new lines already.",
    );
  });

  test.for([
    [["*** Update File: a", "-one", "+1"], 'no "*** End Patch" was found'],
    [["*** Update File: a", "one", "*** End Patch"], 'does not begin with " ", "-", "+" or "@@"'],
    [["*** Add File: b", "b", "*** End Patch"], 'does not begin with "+"'],
    [["*** Rename File: a", "*** End Patch"], "Line 2 of the patch is not"],
    [["*** Update File: a", "*** End Patch"], "changes nothing"],
    [["*** Delete File: a", "*** End Patch", "rm -rf /"], 'follows "*** End Patch"'],
  ] as const)("is refused as a whole where a line is not understood: %s", async ([lines, says]) => {
    await bench.put("a", "one\n");
    expect(modelText(await apply("*** Begin Patch", ...lines))).toContain(says);
    expect(await bench.text("a")).toBe("one\n");
  });
});

describe("a unified diff", () => {
  test("adds, changes, renames and deletes, with the headers of git", async () => {
    await bench.put("a", "1\n2\n3\n");
    await bench.put("b", "b\n");
    await bench.put("old name", "x\n");
    const result = await apply(
      ...[
        "diff --git a/a b/a",
        "index 1..2 100644",
        "--- a/a",
        "+++ b/a",
        "@@ -1,3 +1,3 @@",
        " 1",
        "-2",
        "+two",
        " 3",
      ],
      ...[
        "diff --git a/b b/b",
        "deleted file mode 100644",
        "--- a/b",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-b",
      ],
      ...[
        "diff --git a/old name b/new name",
        "similarity index 100%",
        "rename from old name",
        "rename to new name",
      ],
      ...[
        'diff --git "a/\\303\\251" "b/\\303\\251"',
        "new file mode 100755",
        "--- /dev/null",
        '+++ "b/\\303\\251"',
      ],
      ...["@@ -0,0 +1 @@", "+é", "\\ No newline at end of file", ""],
    );
    expect(modelText(result)).toContain("Its permissions stay as they are");
    expect(await bench.text("a")).toBe("1\ntwo\n3\n");
    expect(await bench.text("é")).toBe("é");
    expect(await bench.text("new name")).toBe("x\n");
    expect((await readdir(bench.root)).toSorted()).toEqual(["a", "new name", "é"]);
  });

  test("fits where its counts and line numbers are wrong, and lines that look like headers are lines", async () => {
    await bench.put("a.sql", "select 1;\n-- a/x\nselect 2;\n");
    const result = await apply(
      "--- a/a.sql",
      "+++ b/a.sql",
      "@@ -40,9 +40,1 @@",
      " select 1;",
      "--- a/x",
      "+++ b/x",
      " select 2;",
      "",
    );
    expect(result.ok).toBe(true);
    expect(await bench.text("a.sql")).toBe("select 1;\n++ b/x\nselect 2;\n");
  });

  test("deletes a file only with all of its lines", async () => {
    await bench.put("b", "b\nmore\n");
    const result = await apply("--- a/b", "+++ /dev/null", "@@ -1 +0,0 @@", "-b", "");
    expect(result.failure).toMatchObject({ code: "conflict" });
    expect(await bench.text("b")).toBe("b\nmore\n");
  });

  test.for([
    ["diff --git a/a b/a", "GIT binary patch", "literal 1"],
    [
      "diff --git a/a b/a",
      "new file mode 120000",
      "--- /dev/null",
      "+++ b/a",
      "@@ -0,0 +1 @@",
      "+/etc/passwd",
    ],
    ["diff --git a/a b/b", "copy from a", "copy to b"],
    ["a sentence"],
  ])("is refused for what is not the change of a text: %s", async (lines) => {
    expect((await apply(...lines)).failure).toMatchObject({ code: "effects_failed" });
  });
});

describe("files keep their form", () => {
  test.for([
    ["\r\n line endings", Buffer.from("a\r\nb\r\nc\r\n"), Buffer.from("a\r\nB\r\nnew\r\nc\r\n")],
    ["no line ending at the end", Buffer.from("a\nb"), Buffer.from("a\nB\nnew")],
    ["a mark of UTF-8", Buffer.from("\ufeffa\nb\nc\n"), Buffer.from("\ufeffa\nB\nnew\nc\n")],
    ["UTF-16", Buffer.from("\ufeffa\nb\n", "utf16le"), Buffer.from("\ufeffa\nB\nnew\n", "utf16le")],
    ["Latin-1", Buffer.from("a\nb\né is e\n", "latin1"), Buffer.from("a\nB\nnew\né is e\n", "latin1")],
  ] as const)("%s", async ([, before, after]) => {
    await bench.put("f", before);
    await chmod(bench.at("f"), 0o755);
    await envelope("*** Update File: f", " a", "-b", "+B", "+new");
    expect(Buffer.from(await bench.bytes("f"))).toEqual(after);
    expect((await stat(bench.at("f"))).mode & 0o777).toBe(0o755);
  });
});

describe("what is decided", () => {
  test("every file is known before it runs, with what is done to it", async () => {
    const patch = [
      ...["*** Begin Patch", "*** Update File: a", "*** Move to: lib/b", "-a", "+b"],
      ...["*** Delete File: c", "*** Add File: d", "+d"],
      ...[
        "*** Update File: package.json",
        '-    "left-pad": "1.0.0"',
        '+    "left-pad": "1.0.1"',
        "*** End Patch",
      ],
    ].join("\n");
    const effects = await applyPatchTool().effects?.({ patch }, {} as EffectResolver);
    expect(effects?.map(({ capability, target }) => `${capability} ${target}`)).toEqual([
      ...["fs.read a", "fs.delete a", "fs.write lib/b", "fs.delete c", "fs.write d"],
      ...["fs.read package.json", "fs.write package.json"],
    ]);
    expect(effects?.at(-1)).toMatchObject({ scripts: [], versionsOnly: true });
  });

  test("a rule about one of its files stops all of it", async () => {
    await bench.put("a", "a\n");
    const careful = await bench.session({
      tools: [applyPatchTool() as Tool],
      policy: ["allow fs.read", "allow fs.write", "deny fs.write **/secret/**"],
    });
    const patch = [
      "*** Begin Patch",
      "*** Update File: a",
      "-a",
      "+b",
      "*** Add File: secret/x",
      "+x",
      "*** End Patch",
    ];
    const result = await bench.call("apply_patch", { patch: patch.join("\n") }, careful);
    await careful.close();
    expect(result.failure).toMatchObject({ code: "denied" });
    expect(await bench.text("a")).toBe("a\n");
  });

  test("neither a file outside of the workspace nor one that the session does not know as it is", async () => {
    expect((await envelope("*** Add File: ../outside", "+x")).failure).toMatchObject({
      code: "out_of_scope",
    });
    await bench.put("a", "a\n");
    await bench.call("read", { path: "a" }, session);
    await bench.put("a", "another\na\n");
    expect(modelText(await envelope("*** Update File: a", "-a", "+b"))).toContain(
      "has changed since this session read it",
    );
    await bench.put("x", "x\n");
    await symlink("x", bench.at("link"));
    expect(modelText(await envelope("*** Delete File: link", "*** Add File: other", "+b"))).toContain(
      "is a link to",
    );
    expect(
      modelText(await envelope("*** Update File: x", "-x", "+y", "*** Update File: ./x", "-y", "+z")),
    ).toContain("more than once");
    expect(modelText(await envelope("*** Add File: x", "+new", "*** Add File: y", "+y"))).toContain(
      "exists already",
    );
    expect(await bench.text("x")).toBe("x\n");
  });
});
