import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Grant, RunningCommand } from "@toolkeep/core/ports";
import { afterEach, describe, expect, test } from "vitest";
import type { AttachableCommands } from "../processes/guarded-commands.ts";
import { boundedCommands, watchTemporary } from "./bounded-commands.ts";
import { sweepTemporaryFolders, type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

const made: TemporaryFolder[] = [];
afterEach(() => Promise.all(made.splice(0).map((folder) => folder.remove())));

function folderOf(bytes: number, entries = 1_000): TemporaryFolder {
  const folder = temporaryFolder({ bytes, entries });
  made.push(folder);
  return folder;
}

const MEGABYTE = 2 ** 20;

describe("the folder for temporary files of a session", () => {
  test("is made on first use and removed with all that is in it, links not followed", async () => {
    const folder = folderOf(MEGABYTE);
    expect(folder.made).toBeUndefined();
    const path = folder.path();
    const other = folderOf(MEGABYTE).path();
    writeFileSync(join(other, "kept"), "x");
    mkdirSync(join(path, "a/b"), { recursive: true });
    symlinkSync(other, join(path, "a/link"));
    chmodSync(join(path, "a"), 0);
    await folder.remove();
    expect(existsSync(dirname(path))).toBe(false);
    expect(readdirSync(other)).toEqual(["kept"]);
  });

  test("is over its bounds by bytes or by entries, in closed folders too; a sparse file is small", async () => {
    const folder = folderOf(MEGABYTE, 50);
    const path = folder.path();
    expect(await folder.isOver()).toBe(false);
    mkdirSync(join(path, "closed"));
    writeFileSync(join(path, "closed/x"), Buffer.alloc(2 * MEGABYTE, 1));
    chmodSync(join(path, "closed"), 0);
    expect(await folder.isOver()).toBe(true);
    await folder.empty();
    expect(await folder.isOver()).toBe(false);
    for (let index = 0; index < 60; index += 1) mkdirSync(join(path, `${index}`));
    expect(await folder.isOver()).toBe(true);
    chmodSync(join(path, "7"), 0);
    await folder.empty();
    expect(readdirSync(path)).toEqual([]);
    expect(readdirSync(dirname(path))).toEqual(["tmp"]);
  });

  test("is looked into again when something was made in it, whatever time a command gave it", async () => {
    const folder = folderOf(MEGABYTE);
    const path = folder.path();
    const { atime, mtime } = statSync(path);
    await pause(1_200);
    for (let look = 0; look < 3; look += 1) expect(await folder.isOver()).toBe(false);
    writeFileSync(join(path, "x"), Buffer.alloc(2 * MEGABYTE, 1));
    utimesSync(path, atime, mtime);
    expect(await folder.isOver()).toBe(true);
  });

  test("goes with a process that did not close its session", () => {
    const module = new URL("./temporary-folder.ts", import.meta.url).href;
    const script = `const { temporaryFolder } = await import(${JSON.stringify(module)});
      const path = temporaryFolder().path();
      (await import("node:fs")).writeFileSync(path + "/x", "left");
      console.log(path);`;
    const args = ["--conditions=@toolkeep/source", "--input-type=module", "-e", script];
    const path = execFileSync(process.execPath, args, { encoding: "utf8" }).trim();
    expect(path).toMatch(/\/toolkeep-tmp-\d+-\w+\/tmp$/);
    expect(existsSync(dirname(path))).toBe(false);
  });

  test("of a process that ended is removed after a day; others stay", async () => {
    const folder = folderOf(MEGABYTE);
    const base = join(folder.path(), "base");
    const names = [
      "toolkeep-tmp-999999999-old",
      `toolkeep-tmp-${process.pid}-own`,
      "toolkeep-tmp-x",
      "other",
    ];
    for (const name of names) mkdirSync(join(base, name), { recursive: true });
    await sweepTemporaryFolders(base);
    expect(readdirSync(base).length).toBe(4);
    await sweepTemporaryFolders(base, -1);
    expect(readdirSync(base).toSorted()).toEqual(names.filter((name) => !name.endsWith("old")).toSorted());
  });
});

describe("filling it up", () => {
  const grant = { abortSignal: new AbortController().signal } as Grant;

  /** A command that writes until it is stopped. */
  function writing(folder: TemporaryFolder): (granted: Grant) => AttachableCommands {
    return ({ abortSignal }) => ({
      async run() {
        for (let index = 0; index < 200 && !abortSignal.aborted; index += 1) {
          writeFileSync(join(folder.path(), `${index}`), Buffer.alloc(MEGABYTE / 4, 1));
          await pause(10);
        }
        if (abortSignal.aborted) throw new Error("stopped");
        return { exitCode: 0 };
      },
      async start() {
        const exited = new Promise<{ exitCode: number }>((resolve) =>
          abortSignal.addEventListener("abort", () => resolve({ exitCode: 137 })),
        );
        writeFileSync(join(folder.path(), "log"), Buffer.alloc(3 * MEGABYTE, 1));
        return { exited } as unknown as RunningCommand;
      },
      attach: () => Promise.reject(new Error("not here")),
    });
  }

  test("ends the command with a reason, and empties the folder", async () => {
    const folder = folderOf(2 * MEGABYTE);
    const commands = boundedCommands(grant, watchTemporary(folder, 20), writing(folder));
    await expect(commands.run({ argv: ["x"] })).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("/tmp, which was emptied"),
    });
    await expect.poll(() => readdirSync(folder.path())).toEqual([]);
  });

  test("ends a command in the background", async () => {
    const folder = folderOf(2 * MEGABYTE);
    const commands = boundedCommands(grant, watchTemporary(folder, 20), writing(folder));
    const { exited } = await commands.start({ argv: ["x"] });
    expect(await exited).toEqual({ exitCode: 137 });
    await expect.poll(() => readdirSync(folder.path())).toEqual([]);
  });

  test("by a command that was over too soon is put right before the next, which says so", async () => {
    const folder = folderOf(MEGABYTE);
    writeFileSync(join(folder.path(), "left"), Buffer.alloc(2 * MEGABYTE, 1));
    const run = async () => ({ exitCode: 0, note: "Masked." });
    const commands = boundedCommands(
      grant,
      watchTemporary(folder),
      () => ({ run }) as unknown as AttachableCommands,
    );
    expect((await commands.run({ argv: ["x"] })).note).toMatch(/^\/tmp held more than .* Masked\.$/);
    expect(readdirSync(folder.path())).toEqual([]);
    expect((await commands.run({ argv: ["x"] })).note).toBe("Masked.");
  });
});
