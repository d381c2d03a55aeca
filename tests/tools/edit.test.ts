import { appendFile, chmod, stat, symlink } from "node:fs/promises";
import type { Tool } from "@toolkeep/core";
import { toolConformance } from "@toolkeep/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { editTool } from "../../packages/tools/src/files/edit-tool.ts";
import { type FileBench, openFileBench } from "./file-bench.ts";

let bench: FileBench;
beforeAll(async () => {
  bench = await openFileBench();
});
afterAll(() => bench.close());

const edit = (path: string, old_string: string, new_string: string, more: { replace_all?: boolean } = {}) =>
  bench.call("edit", { path, old_string, new_string, ...more });

describe("replacing a text", () => {
  test("[C48] replaces the match and nothing else", async () => {
    await bench.put("a.ts", "const a = 1;\nconst b = 2;\n");
    const result = await edit("a.ts", "b = 2", "b = 3");
    expect(result.data).toBe("Replaced 1 occurrence in a.ts, line 2.");
    expect(await bench.text("a.ts")).toBe("const a = 1;\nconst b = 3;\n");
  });

  test("a mark that stands for a secret is not written back", async () => {
    const before = "user: app\npassword: hunter2\nport: 1\n";
    await bench.put("db.yaml", before);
    const { data } = await bench.call("read", { path: "db.yaml" });
    expect(JSON.stringify(data)).toContain("password: [redacted:password]");
    const whole = "user: app\npassword: [redacted:password]\nport: 2\n";
    for (const refused of [
      await bench.call("write", { path: "db.yaml", content: whole }),
      await edit("db.yaml", "port: 1", "password: [redacted:password]\nport: 2"),
      await edit(
        "db.yaml",
        "password: [redacted:password]\nport: 1",
        "password: [redacted:password]\nport: 2",
      ),
    ])
      expect(refused.failure?.message).toContain("[redacted:password]");
    expect(await bench.text("db.yaml")).toBe(before);
    expect((await edit("db.yaml", "port: 1", "port: 2")).ok).toBe(true);
    expect(await bench.text("db.yaml")).toContain("password: hunter2\nport: 2");
  });

  test("takes the replacement literally", async () => {
    await bench.put("a.txt", "hello");
    await edit("a.txt", "ll", "$&$1$`\\n");
    expect(await bench.text("a.txt")).toBe("he$&$1$`\\no");
  });

  test("returns a diff for people that the model does not see", async () => {
    await bench.put("long.txt", Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join(""));
    const result = await edit("long.txt", "line 20\nline 21\n", "twenty\n");
    expect(result.details).toMatchObject({ path: bench.at("long.txt") });
    expect((result.details as { diff: string }).diff.split("\n")).toEqual([
      "--- long.txt",
      "+++ long.txt",
      "@@ -17,8 +17,7 @@",
      ...[" line 17", " line 18", " line 19", "-line 20", "-line 21", "+twenty"],
      ...[" line 22", " line 23", " line 24", ""],
    ]);
    expect(JSON.stringify(result.data)).not.toContain("@@");
  });

  test("replaces every occurrence with `replace_all`, and the diff counts lines as they move", async () => {
    const lines = Array.from({ length: 60 }, (_, index) => (index % 25 === 5 ? "x" : `line ${index + 1}`));
    await bench.put("all.txt", lines.join("\n"));
    const result = await edit("all.txt", "x", "y\nz", { replace_all: true });
    expect(result.data).toBe("Replaced 3 occurrences in all.txt.");
    expect(await bench.text("all.txt")).toBe(lines.join("\n").replaceAll("x", "y\nz"));
    const { diff } = result.details as { diff: string };
    expect(diff.match(/^@@.*$/gm)).toEqual(["@@ -3,7 +3,8 @@", "@@ -28,7 +29,8 @@", "@@ -53,7 +55,8 @@"]);
  });

  test.each([
    ["\r\n", "one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2\n", "1\r\n2\r\n\r\nthree\r\n"],
    [
      "both, each at its position",
      "one\ntwo\r\nthree\nfour",
      "one\ntwo\nthree",
      "1\n2\n3",
      "1\n2\r\n3\nfour",
    ],
    ["that of its line", "one\ntwo\r\nthree\n", "two", "2\n2", "one\n2\r\n2\r\nthree\n"],
    ["that of the line before, at the end", "one\r\ntwo", "two", "2\n2", "one\r\n2\r\n2"],
    ["\\r, which is not a line ending", "one\rtwo\r", "two", "2\n2", "one\r2\n2\r"],
  ])("adopts the line endings of the file: %s", async (_name, before, old, fresh, after) => {
    await bench.put("endings.txt", before);
    expect(await edit("endings.txt", old, fresh)).toMatchObject({ ok: true });
    expect(await bench.text("endings.txt")).toBe(after);
  });

  test("keeps a literal `\\r`", async () => {
    await bench.put("mixed.txt", "one\r\ntwo\nthree\r\n");
    await edit("mixed.txt", "one\r\n", "one\n");
    expect(await bench.text("mixed.txt")).toBe("one\ntwo\nthree\r\n");
  });

  test.each([
    [
      "UTF-8 with a byte order mark",
      Buffer.from("\ufeffcafé ☕", "utf8"),
      Buffer.from("\ufeffcafé 🍵", "utf8"),
    ],
    ["UTF-16", Buffer.from("\ufeffcafé ☕", "utf16le"), Buffer.from("\ufeffcafé 🍵", "utf16le")],
    [
      "UTF-16, big-endian",
      Buffer.from("\ufeffcafé ☕", "utf16le").swap16(),
      Buffer.from("\ufeffcafé 🍵", "utf16le").swap16(),
    ],
  ])("keeps the encoding: %s", async (_name, before, after) => {
    await bench.put("encoded.txt", before);
    expect(await edit("encoded.txt", "☕", "🍵")).toMatchObject({ ok: true });
    expect(Buffer.from(await bench.bytes("encoded.txt"))).toEqual(after);
  });

  test("keeps an older encoding, and refuses characters that it lacks", async () => {
    await bench.put("latin.txt", Buffer.from("café creme", "latin1"));
    expect(await edit("latin.txt", "café", "thé")).toMatchObject({ ok: true });
    expect(Buffer.from(await bench.bytes("latin.txt"))).toEqual(Buffer.from("thé creme", "latin1"));
    const result = await edit("latin.txt", "thé", "☕");
    expect(result.failure?.message).toContain("its encoding lacks");
    expect(Buffer.from(await bench.bytes("latin.txt"))).toEqual(Buffer.from("thé creme", "latin1"));
  });

  test("keeps the mode of the file", async () => {
    await bench.put("run.sh", "echo one\n");
    await chmod(bench.at("run.sh"), 0o750);
    await edit("run.sh", "one", "two");
    expect((await stat(bench.at("run.sh"))).mode & 0o777).toBe(0o750);
  });
});

describe("a text that does not match", () => {
  test("is reported with the most similar text and its line", async () => {
    await bench.put(
      "near.ts",
      `${"// nothing\n".repeat(500)}function total(items) {\n    return items.length;\n}\n`,
    );
    const result = await edit("near.ts", "function total(item) {\n  return items.length", "x");
    expect(result.failure).toMatchObject({ code: "conflict" });
    expect(result.failure?.message).toContain(
      "   501\tfunction total(items) {\n   502\t    return items.length;",
    );
  });

  test("is reported with a hint if only white space differs", async () => {
    await bench.put("space.ts", "if (a) {\n\treturn;\n}\n");
    const { failure } = await edit("space.ts", "if (a) {\n  return;\n}", "x");
    expect(failure?.hint).toContain("Only white space differs");
  });

  test("is reported with a hint if it contains line numbers", async () => {
    await bench.put("space.ts", "if (a) {\n\treturn;\n}\n");
    const { failure } = await edit("space.ts", "     1\tif (a) {\n     2\t\treturn;", "x");
    expect(failure?.hint).toContain("Leave out the line numbers");
  });

  test("is refused if it occurs twice, with the lines of both", async () => {
    await bench.put("twice.txt", "a\nfoo one\nb\nfoo two\n");
    const { failure } = await edit("twice.txt", "foo", "bar");
    expect(failure).toMatchObject({ code: "conflict" });
    expect(failure?.message).toContain("2 times:\n     2\tfoo one\n     4\tfoo two\n");
    expect(await bench.text("twice.txt")).toBe("a\nfoo one\nb\nfoo two\n");
  });

  test("is refused if two overlapping matches exist", async () => {
    await bench.put("over.txt", "aaa");
    expect(await edit("over.txt", "aa", "b")).toMatchObject({ ok: false, failure: { code: "conflict" } });
  });

  test.each([
    ["an empty text", { old_string: "", new_string: "x" }],
    ["the same text", { old_string: "x", new_string: "x" }],
    ["half a character", { old_string: "\ud83c", new_string: "x" }],
  ])("is refused: %s", async (_name, args) => {
    await bench.put("x.txt", "x \ufffd");
    const result = await bench.call("edit", { path: "x.txt", ...args });
    expect(result.failure?.code).toBe("invalid_arguments");
    expect(await bench.text("x.txt")).toBe("x \ufffd");
  });

  test("is refused in a binary file", async () => {
    await bench.put("x.bin", Uint8Array.of(0x78, 0, 0x79));
    expect((await edit("x.bin", "x", "y")).failure?.message).toContain("is not a text file");
  });

  test("is refused in a missing file, and behind a link out of the workspace", async () => {
    await symlink("/etc/hostname", bench.at("out"));
    expect((await edit("missing.txt", "x", "y")).failure?.code).toBe("not_found");
    expect((await edit("out", "x", "y")).failure?.code).toBe("out_of_scope");
  });

  test("takes linear time, however the file repeats itself", async () => {
    await bench.put("same.txt", "ab\n".repeat(1_000_000));
    const began = process.cpuUsage();
    const result = await edit("same.txt", `${"ab\n".repeat(300_000)}c`, "x");
    expect(result.failure?.code).toBe("conflict");
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(60_000);
  });
});

describe("a file that another program changed", () => {
  test("is not edited before it is read again", async () => {
    await bench.put("stale.txt", "one two");
    await bench.call("read", { path: "stale.txt" });
    await appendFile(bench.at("stale.txt"), " three");
    expect((await edit("stale.txt", "one", "1")).failure).toMatchObject({
      code: "conflict",
      hint: "Read it again before you edit it.",
    });
    await bench.call("read", { path: bench.at("stale.txt") });
    expect(await edit("stale.txt", "one", "1")).toMatchObject({ ok: true });
    expect(await bench.text("stale.txt")).toBe("1 two three");
  });

  test("may be edited without having been read, and several times", async () => {
    await bench.put("fresh.txt", "one two");
    expect(await edit("fresh.txt", "one", "1")).toMatchObject({ ok: true });
    expect(await edit("fresh.txt", "two", "2")).toMatchObject({ ok: true });
  });
});

test.each(["b", `${"b".repeat(19)}\n`])(
  "an edit that would make a file far too large is refused: %j repeated",
  async (fresh) => {
    const before = "a\r\n".repeat(2_500);
    await bench.put("many.txt", before);
    const result = await bench.call("edit", {
      ...{ path: "many.txt", old_string: "a", replace_all: true },
      // Only with the line endings of the file it is too long.
      new_string: fresh.repeat(fresh === "b" ? 1_000_000 : 1_300),
    });
    expect(result.failure?.code).toBe("too_large");
    expect(await bench.text("many.txt")).toBe(before);
  },
);

test("[C46] edit declares that it reads and writes the one file, and satisfies the tool contract", async () => {
  const session = bench.workspace.sessionOptions();
  await bench.put("c.txt", "one");
  const tool = editTool();
  const path = bench.at("c.txt");
  const args = { path, old_string: "one", new_string: "two" };
  expect(await tool.effects?.(args, session.resolver)).toEqual([
    { capability: "fs.read", target: path },
    { capability: "fs.write", target: path },
  ]);
  expect(
    await toolConformance(tool as Tool, {
      ...{ grantIo: session.grantIo, resolver: session.resolver, variables: session.variables },
      examples: [args],
      refuses: [{ path }, { ...args, old_string: "" }, { ...args, more: 1 }, { ...args, path: "" }],
    }),
  ).toEqual([]);
});
