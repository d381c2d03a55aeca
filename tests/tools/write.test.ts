import { appendFile, rm, symlink } from "node:fs/promises";
import type { Tool } from "@toolkeep/core";
import { toolConformance } from "@toolkeep/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeTool } from "../../packages/tools/src/files/write-tool.ts";
import { type FileBench, openFileBench } from "./file-bench.ts";

let bench: FileBench;
beforeAll(async () => {
  bench = await openFileBench();
});
afterAll(() => bench.close());

const write = (path: string, content: string) => bench.call("write", { path, content });

describe("a new file", () => {
  test("is created, with its folders", async () => {
    const result = await write("new/deep/a.txt", "one\ntwo");
    expect(result.data).toBe("Made new/deep/a.txt: 2 lines, 7 bytes.");
    expect(result.details).toMatchObject({ created: true, path: bench.at("new/deep/a.txt") });
    expect((result.details as { diff: string }).diff).toContain("@@ -0,0 +1,2 @@\n+one\n+two\n");
    expect(await bench.text("new/deep/a.txt")).toBe("one\ntwo");
  });

  test("may be written again by the session that created it", async () => {
    await write("again.txt", "one");
    expect(await write("./again.txt", "two")).toMatchObject({
      data: "Replaced ./again.txt: 1 line, 3 bytes.",
    });
    expect(await bench.text("again.txt")).toBe("two");
  });
});

describe("an existing file", () => {
  test("is not replaced before it was read", async () => {
    await bench.put("there.txt", "theirs");
    expect((await write("there.txt", "mine")).failure).toMatchObject({
      code: "conflict",
      message: '"there.txt" exists, and this session has not read it.',
      hint: "Read it before you replace it, or choose another name.",
    });
    expect(await bench.text("there.txt")).toBe("theirs");
  });

  test("is replaced once it was read, by any path, and people see the diff", async () => {
    await bench.put("read.txt", "one\ntwo\nthree\n");
    await symlink("read.txt", bench.at("link.txt"));
    await bench.call("read", { path: "link.txt" });
    const result = await write(bench.at("read.txt"), "one\n2\nthree\n");
    expect(result.ok).toBe(true);
    expect((result.details as { diff: string }).diff).toContain(" one\n-two\n+2\n three\n");
    expect(await bench.text("link.txt")).toBe("one\n2\nthree\n");
  });

  test("is not replaced if it changed since it was read", async () => {
    await bench.put("stale.txt", "one");
    await bench.call("read", { path: "stale.txt" });
    await appendFile(bench.at("stale.txt"), " and more");
    expect((await write("stale.txt", "mine")).failure?.code).toBe("conflict");
    expect(await bench.text("stale.txt")).toBe("one and more");
    await bench.call("read", { path: "stale.txt" });
    expect(await write("stale.txt", "mine")).toMatchObject({ ok: true });
  });

  test("may be created again once it is known to be gone", async () => {
    await bench.put("gone.txt", "one");
    await bench.call("read", { path: "gone.txt" });
    await rm(bench.at("gone.txt"));
    expect((await write("gone.txt", "mine")).failure?.code).toBe("conflict");
    await bench.call("read", { path: "gone.txt" });
    expect(await write("gone.txt", "mine")).toMatchObject({ ok: true });
  });

  test("is treated as unread after an edit only", async () => {
    await bench.put("edited.txt", "one two");
    await bench.call("edit", { path: "edited.txt", old_string: "one", new_string: "1" });
    expect((await write("edited.txt", "mine")).failure?.code).toBe("conflict");
  });

  test("is treated as unread after a failed read", async () => {
    await bench.put("failed.txt", "one\n");
    const past = await bench.call("read", { path: "failed.txt", offset: 9 });
    expect(past.failure?.code).toBe("invalid_arguments");
    expect((await write("failed.txt", "mine")).failure?.code).toBe("conflict");
    expect(await bench.text("failed.txt")).toBe("one\n");
  });

  test("stays read through an edit", async () => {
    await bench.put("known.txt", "one two");
    await bench.call("read", { path: "known.txt" });
    await bench.call("edit", { path: "known.txt", old_string: "one", new_string: "1" });
    const result = await write("known.txt", "1 2");
    expect((result.details as { diff: string }).diff).toContain("-1 two\n");
  });

  test("was read by this session and no other", async () => {
    await bench.put("mine.txt", "one");
    await bench.call("read", { path: "mine.txt" });
    const other = await bench.session();
    const result = await bench.call("write", { path: "mine.txt", content: "two" }, other);
    await other.close();
    expect(result.failure?.code).toBe("conflict");
  });
});

test("a content that is too long, or is not valid text, is refused before anything is written", async () => {
  expect((await write("big.txt", "x".repeat(10_000_001))).failure?.code).toBe("invalid_arguments");
  expect((await write("half.txt", "\ud83c")).failure?.code).toBe("invalid_arguments");
  expect(await bench.said("list", {})).not.toMatch(/big|half/);
});

test("a path that leads out of the workspace is refused", async () => {
  await symlink(bench.top, bench.at("up"));
  for (const path of ["../x.txt", "up/x.txt", `${bench.top}/x.txt`])
    expect((await write(path, "x")).failure?.code).toBe("out_of_scope");
});

test("[C46] write declares that it writes the one file, and satisfies the tool contract", async () => {
  const session = bench.workspace.sessionOptions();
  const tool = writeTool();
  const args = { path: bench.at("c.txt"), content: "" };
  expect(await tool.effects?.(args, session.resolver)).toEqual([
    { capability: "fs.write", target: args.path },
  ]);
  expect(
    await toolConformance(tool as Tool, {
      ...{ grantIo: session.grantIo, resolver: session.resolver, variables: session.variables },
      examples: [args],
      refuses: [{ path: args.path }, { ...args, more: 1 }, { ...args, path: "" }, { ...args, content: 1 }],
    }),
  ).toEqual([]);
});
