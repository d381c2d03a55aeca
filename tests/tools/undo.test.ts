import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tool, ToolResult } from "@toolkeep/core";
import { openWorkspace } from "@toolkeep/node";
import { managerTools } from "@toolkeep/tools";
import { editTool, readTool, writeTool } from "@toolkeep/tools/internal";
import { expect, test } from "vitest";
import { appendTool } from "../../packages/tools/src/files/append-tool.ts";
import { deleteTool } from "../../packages/tools/src/files/delete-tool.ts";
import { applyPatchTool } from "../../packages/tools/src/patches/apply-patch-tool.ts";
import { ALLOW } from "../scenario.ts";

const tools = () =>
  [
    ...[readTool(), writeTool(), editTool(), appendTool(), deleteTool(), applyPatchTool()],
    ...managerTools().filter(({ name }) => name === "file_manager"),
  ] as readonly Tool[];

const hasKernelCalls = process.platform === "linux" && spawnSync("perl", ["-v"]).status === 0;

/** A project in a workspace that keeps what its tools replace, and what calls its tools. */
async function scene() {
  const base = mkdtempSync(join(tmpdir(), "toolkeep-undo-"));
  const root = join(base, "project");
  mkdirSync(root);
  writeFileSync(join(root, "kept.txt"), "one\ntwo\n", { mode: 0o640 });
  if (process.getuid?.() === 0) spawnSync("chown", ["-R", "12345:12345", root]);
  chmodSync(base, 0o711);
  const workspace = await openWorkspace({
    ...{ roots: [root], sidecars: join(base, "sidecars") },
    contain: { folder: join(base, "contain") },
  });
  const session = await workspace.createSession({ tools: tools(), policy: ALLOW });
  let calls = 0;
  return {
    root,
    workspace,
    at: (name: string) => join(root, name),
    text: (name: string) => readFileSync(join(root, name), "utf8"),
    async call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult> {
      calls += 1;
      const result = await session.call({ id: `c${calls}`, name, arguments: args });
      expect(result.failure).toBeUndefined();
      return result;
    },
    async undo() {
      const past = await workspace.changes();
      return past.undo(past.commands.findLast(({ isUndone }) => !isUndone)?.number ?? 0);
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

const diffOf = ({ details }: ToolResult) => (details as { readonly diff?: string }).diff;

test.runIf(hasKernelCalls)("[C83] what a destructive call deleted comes back as it was", async () => {
  await using project = await scene();
  const before = lstatSync(project.at("kept.txt"));
  await project.call("delete", { path: "kept.txt" });
  expect(existsSync(project.at("kept.txt"))).toBe(false);
  const [past] = (await project.workspace.changes()).commands;
  expect(past).toMatchObject({ line: "delete kept.txt", kept: ["kept.txt"], held: [], isUndone: false });
  expect(await project.undo()).toEqual(["kept.txt"]);
  expect(project.text("kept.txt")).toBe("one\ntwo\n");
  const { ino, mode, uid, mtimeMs } = lstatSync(project.at("kept.txt"));
  expect({ ino, mode, uid, mtimeMs }).toEqual({
    ...{ ino: before.ino, mode: before.mode, uid: before.uid, mtimeMs: before.mtimeMs },
  });
  expect((await project.workspace.changes()).commands[0]?.isUndone).toBe(true);
});

test.runIf(hasKernelCalls)("[C83] a deleted folder comes back, and a new file goes", async () => {
  await using project = await scene();
  mkdirSync(project.at("empty"), { mode: 0o750 });
  await project.call("delete", { path: "empty" });
  expect(existsSync(project.at("empty"))).toBe(false);
  await project.undo();
  expect(lstatSync(project.at("empty")).isDirectory()).toBe(true);
  await project.call("write", { path: "src/new.txt", content: "new\n" });
  await project.undo();
  expect(existsSync(project.at("src/new.txt"))).toBe(false);
});

test.runIf(hasKernelCalls)(
  "[C83] each call of a tool is undone by itself, and all files of a patch together",
  async () => {
    await using project = await scene();
    await project.call("read", { path: "kept.txt" });
    await project.call("edit", { path: "kept.txt", old_string: "two", new_string: "three" });
    const patch = `*** Begin Patch
*** Update File: kept.txt
@@
 one
-three
+four
*** Add File: added.txt
+added
*** End Patch`;
    await project.call("apply_patch", { patch });
    expect([project.text("kept.txt"), project.text("added.txt")]).toEqual(["one\nfour\n", "added\n"]);
    expect(await project.undo()).toEqual(["kept.txt", "added.txt"]);
    expect([project.text("kept.txt"), existsSync(project.at("added.txt"))]).toEqual(["one\nthree\n", false]);
    await project.undo();
    expect(project.text("kept.txt")).toBe("one\ntwo\n");
  },
);

test.runIf(hasKernelCalls)("[C83] nothing is undone over what was changed since", async () => {
  await using project = await scene();
  await project.call("read", { path: "kept.txt" });
  await project.call("write", { path: "kept.txt", content: "by the tool\n" });
  writeFileSync(project.at("kept.txt"), "by the user\n");
  await expect(project.undo()).rejects.toMatchObject({ paths: ["kept.txt"] });
  expect(project.text("kept.txt")).toBe("by the user\n");
  await project.call("delete", { path: "kept.txt" });
  writeFileSync(project.at("kept.txt"), "made anew\n");
  await expect(project.undo()).rejects.toMatchObject({ paths: ["kept.txt"] });
  expect(project.text("kept.txt")).toBe("made anew\n");
});

test("[C83] a write shows the diff of before and after, whatever tool makes it", async () => {
  await using project = await scene();
  await project.call("read", { path: "kept.txt" });
  const edited = await project.call("edit", { path: "kept.txt", old_string: "two", new_string: "three" });
  expect(diffOf(edited)).toContain("-two\n+three\n");
  const written = await project.call("write", { path: "kept.txt", content: "one\nfour\n" });
  expect(diffOf(written)).toContain("-three\n+four\n");
  const appended = await project.call("append", { path: "kept.txt", content: "five\n" });
  expect(diffOf(appended)).toContain(" four\n+five\n");
});

test.runIf(hasKernelCalls)("[C83] an action of the file manager is undone as well", async () => {
  await using project = await scene();
  await project.call("file_manager", { action: "delete", path: "kept.txt" });
  expect((await project.workspace.changes()).commands[0]?.line).toBe("file_manager kept.txt");
  await project.undo();
  expect(project.text("kept.txt")).toBe("one\ntwo\n");
});

test("a write that fails leaves nothing to undo", async () => {
  await using project = await scene();
  chmodSync(project.root, 0o755);
  const session = await project.workspace.createSession({ tools: tools(), policy: ALLOW });
  const args = { path: "kept.txt", content: "x" };
  expect((await session.call({ id: "c", name: "write", arguments: args })).failure?.code).toBe("conflict");
  await session.close();
  expect((await project.workspace.changes()).commands).toEqual([]);
});
