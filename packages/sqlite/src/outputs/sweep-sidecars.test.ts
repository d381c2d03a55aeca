import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { type FolderSidecar, folderSidecar } from "./folder-sidecar.ts";
import { sweepSidecars } from "./sweep-sidecars.ts";

let root: string;

beforeEach(() => {
  root = temporaryFolder();
});

/** A session whose process has ended. */
async function deadSession(sessionId: string): Promise<FolderSidecar> {
  const sidecar = folderSidecar({ folder: root, sessionId });
  await (await sidecar.open("call")).close();
  await handOver(sidecar, 999_999_999);
  return sidecar;
}

/** Records another process in the folder instead of this one. */
async function handOver(sidecar: FolderSidecar, pid: number): Promise<void> {
  const own = (await readdir(sidecar.folder)).find((name) => name.startsWith("live-")) ?? "";
  await rename(join(sidecar.folder, own), join(sidecar.folder, own.replace(/-\d+-/, `-${pid}-`)));
}

test("folders of dead sessions are removed; live, kept and recent ones stay", async () => {
  const dead = await deadSession("dead");
  const kept = await deadSession("kept");
  const live = folderSidecar({ folder: root, sessionId: "live" });
  await (await live.open("call")).close();
  expect(await sweepSidecars(root, { olderThanMs: 60_000, keep: ["kept"] })).toEqual({ removed: 0, kept: 3 });
  expect(await sweepSidecars(root, { olderThanMs: 0, keep: ["kept"] })).toEqual({ removed: 1, kept: 2 });
  expect([dead, kept, live].map(({ folder }) => existsSync(folder))).toEqual([false, true, true]);
});

test("the age of a folder is that of its newest file", async () => {
  const { folder } = await deadSession("old");
  const longAgo = new Date(Date.now() - 100_000);
  for (const name of await readdir(folder)) await utimes(join(folder, name), longAgo, longAgo);
  await utimes(folder, longAgo, longAgo);
  expect(await sweepSidecars(root, { olderThanMs: 1_000_000 })).toEqual({ removed: 0, kept: 1 });
  expect(await sweepSidecars(root, { olderThanMs: 50_000 })).toEqual({ removed: 1, kept: 0 });
});

test.skipIf(process.platform !== "linux")(
  "a process that reuses the process id does not keep the folder",
  async () => {
    const sidecar = await deadSession("reused");
    const other = spawn("sleep", ["100"]);
    await once(other, "spawn");
    await handOver(sidecar, other.pid ?? 0);
    expect(await sweepSidecars(root, { olderThanMs: 0 })).toEqual({ removed: 1, kept: 0 });
    other.kill("SIGKILL");
  },
);

test("links, their targets and foreign files are not touched", async () => {
  const outside = temporaryFolder();
  await writeFile(join(outside, "file"), "stays");
  await symlink(outside, join(root, "a".repeat(40)));
  await mkdir(join(root, "something else"));
  await writeFile(join(root, "b".repeat(40)), "a file");
  const dead = await deadSession("dead");
  await symlink(outside, join(dead.folder, "link"));
  const strange = await deadSession("strange");
  await mkdir(join(strange.folder, "folder"));
  expect(await sweepSidecars(root, { olderThanMs: 0 })).toEqual({ removed: 1, kept: 3 });
  expect(await readdir(outside)).toEqual(["file"]);
  expect(existsSync(join(root, "something else"))).toBe(true);
});

test("the next sweep finishes an interrupted one; a missing folder is no error", async () => {
  const { folder } = await deadSession("dead");
  await rename(folder, join(root, `swept-${"a".repeat(32)}`));
  expect(await sweepSidecars(root, { olderThanMs: 0 })).toEqual({ removed: 1, kept: 0 });
  expect(await sweepSidecars(join(root, "none"), { olderThanMs: 0 })).toEqual({ removed: 0, kept: 0 });
});
