import { existsSync } from "node:fs";
import {
  appendFile,
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createRedactor } from "@toolkeep/core";
import type { Sidecar } from "@toolkeep/core/journal";

import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { type FolderSidecar, folderSidecar } from "./folder-sidecar.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

let root: string;
let sidecar: FolderSidecar;

beforeEach(() => {
  root = temporaryFolder();
  sidecar = folderSidecar({ folder: root, sessionId: "one" });
});

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

async function textAt(from: Sidecar, path: string, range?: { offset?: number; length?: number }) {
  const read = await from.read(path, range);
  return read === undefined ? undefined : new TextDecoder().decode(read);
}

async function written(to: Sidecar, text: string): Promise<string> {
  const file = await to.open("call");
  await file.write(bytes(text));
  await file.close();
  return file.path;
}

/** Creates, writes and keeps the file as a command does. */
async function spooled(content: string | Uint8Array, to = sidecar): Promise<string> {
  const spool = await to.spool("call", 10_000_000);
  await writeFile(spool.rawPath, content);
  return spool.keep();
}

test("[C109] written output can be read, whole and in ranges, until it is cleared", async () => {
  const path = await written(sidecar, "one two three");
  expect(await textAt(sidecar, path)).toBe("one two three");
  expect(await textAt(sidecar, path, { offset: 4, length: 3 })).toBe("two");
  expect(await textAt(sidecar, path, { offset: 8 })).toBe("three");
  expect(await textAt(sidecar, path, { offset: 99 })).toBe("");
  expect(await textAt(sidecar, path, { offset: -5, length: 3 })).toBe("one");
  await sidecar.clear();
  expect(await textAt(sidecar, path)).toBeUndefined();
  expect(await readdir(root)).toEqual([]);
});

test("writes keep their order, whether or not they are awaited", async () => {
  const file = await sidecar.open("call");
  const chunk = new Uint8Array(1);
  for (let at = 0; at < 100; at += 1) {
    chunk[0] = at;
    void file.write(chunk);
  }
  await file.close();
  expect(await sidecar.read(file.path)).toEqual(Uint8Array.from({ length: 100 }, (_, at) => at));
});

test.skipIf(process.platform === "win32")("no other user can read it", async () => {
  const path = await written(sidecar, "x");
  const { rawPath } = await sidecar.spool("call", 10_000);
  const staged = await sidecar.stageInput(bytes("in"));
  expect((await lstat(path)).mode & 0o777).toBe(0o600);
  expect((await lstat(staged.path)).mode & 0o777).toBe(0o600);
  expect((await lstat(dirname(rawPath))).mode & 0o777).toBe(0o700);
  await staged.remove();
  expect(existsSync(staged.path)).toBe(false);
});

test("a session reads only the paths that its sidecar returned, however they are spelled", async () => {
  const path = await written(sidecar, "mine");
  const other = folderSidecar({ folder: root, sessionId: "two" });
  const theirs = await written(other, "theirs");
  const outside = join(root, "outside.out");
  await writeFile(outside, "outside");
  const name = (letter: string) => join(sidecar.folder, `${letter.repeat(32)}.out`);
  await symlink(outside, name("a"));
  await link(outside, name("b"));
  await mkdir(name("c"));
  await symlink(theirs, name("d"));
  const attempts = [
    theirs,
    outside,
    ...["a", "b", "c", "d", "e"].map(name),
    `${sidecar.folder}/../${basename(dirname(theirs))}/${basename(theirs)}`,
    `${sidecar.folder}/./${basename(path)}`,
    `${sidecar.folder}//${basename(path)}`,
    `${path}/`,
    `${path}\0`,
    basename(path),
    "",
    "/etc/passwd",
    join(sidecar.folder, (await readdir(sidecar.folder)).find((entry) => entry.startsWith("live-")) ?? ""),
  ];
  for (const path of attempts) expect([path, await textAt(sidecar, path)]).toEqual([path, undefined]);
  expect(await textAt(sidecar, path)).toBe("mine");
});

test("output from before a restart can be read after it", async () => {
  const path = await spooled("before");
  expect(await textAt(folderSidecar({ folder: root, sessionId: "one" }), path)).toBe("before");
});

test("output of a command is redacted before it is first read, and the raw file is removed", async () => {
  const redactor = createRedactor();
  redactor.add("PASSWORD", "p\u00e4ss-w\u00f6rd-\u{1f600}");
  const mine = folderSidecar({ folder: root, sessionId: "secrets", redactor });
  const binary = Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf0, 0x9f]);
  const secrets = Buffer.from(`a ${TOKEN} b p\u00e4ss-w\u00f6rd-\u{1f600} c \u{1f600}\n`);
  const path = await spooled(Buffer.concat([binary, secrets, binary]), mine);
  const expected = Buffer.from("a [redacted:github-token] b [redacted:PASSWORD] c \u{1f600}\n");
  const [first, second] = await Promise.all([mine.read(path), mine.read(path)]);
  expect(Buffer.from(first ?? [])).toEqual(Buffer.concat([binary, expected, binary]));
  expect(second).toEqual(first);
  const names = (await readdir(mine.folder)).filter((name) => !name.startsWith("live-"));
  expect(names).toEqual([basename(path)]);
  expect(await textAt(mine, path, { offset: binary.length + 2, length: 10 })).toBe("[redacted:");
});

test("a secret is found anywhere in a large output, and nothing else changes", async () => {
  const line = `${"x".repeat(70)}\u00fc\n`;
  const filler = line.repeat(Math.ceil(1_100_000 / Buffer.byteLength(line)));
  // Around the border between two chunks.
  const at = 256 * 1_024 - 20;
  const whole = Buffer.from(filler);
  Buffer.from(`\n${TOKEN}\n`).copy(whole, at);
  const path = await spooled(whole);
  const expected = whole.toString("latin1").replace(TOKEN, "[redacted:github-token]");
  expect(Buffer.from((await sidecar.read(path)) ?? []).toString("latin1")).toBe(expected);
});

test("output that a command still writes cannot be read", async () => {
  const spool = await sidecar.spool("call", 10_000);
  await writeFile(spool.rawPath, "half");
  expect(await textAt(sidecar, spool.rawPath.replace(/raw$/, "out"))).toBeUndefined();
  expect(await textAt(sidecar, spool.rawPath)).toBeUndefined();
  expect(await textAt(sidecar, await spool.keep())).toBe("half");
});

test("an interrupted redaction starts again", async () => {
  const path = await spooled(`x ${TOKEN}`);
  await writeFile(path.replace(/out$/, "draft"), "half of it");
  expect(await textAt(sidecar, path)).toBe("x [redacted:github-token]");
});

test("head() ends before a secret that it would cut in two, and is otherwise unchanged", async () => {
  const spool = await sidecar.spool("call", 10_000);
  await writeFile(spool.rawPath, `\u00fc12345678 ${TOKEN} more`);
  const headOf = async (length: number) => Buffer.from(await spool.head(length)).toString();
  expect(await headOf(5)).toBe("\u00fc123");
  for (const cut of [12, 30, 50]) expect(await headOf(cut)).toBe("\u00fc12345678 ");
  expect(await headOf(51)).toBe(`\u00fc12345678 ${TOKEN}`);
  expect(await headOf(1_000)).toBe(`\u00fc12345678 ${TOKEN} more`);
});

test("nothing is written over the quota, and the message says so", async () => {
  const small = folderSidecar({ folder: root, sessionId: "small", quotaBytes: 100_000 });
  const file = await small.open("call");
  await file.write(new Uint8Array(90_000));
  await expect(file.write(new Uint8Array(10_001))).rejects.toMatchObject({
    code: "too_large",
    message: "The session's output is over its quota of 100000 bytes.",
  });
  await file.close();
  expect((await small.read(file.path))?.length).toBe(90_000);
  const first = await small.spool("call", 1_000_000);
  expect(first.limitBytes).toBe(5_000);
  await expect(small.spool("call", 1_000_000)).rejects.toMatchObject({ code: "too_large" });
  await first.discard();
  expect((await small.spool("call", 4_500)).limitBytes).toBe(4_500);
  const again = folderSidecar({ folder: root, sessionId: "small", quotaBytes: 90_000 });
  await expect(again.spool("call", 1)).rejects.toMatchObject({ code: "too_large" });
  await small.clear();
  await expect(again.spool("call", 1)).rejects.toMatchObject({ code: "too_large" });
  expect((await small.spool("call", 1_000_000)).limitBytes).toBe(50_000);
});

test("kept output uses its real size of the quota", async () => {
  const small = folderSidecar({ folder: root, sessionId: "small", quotaBytes: 100_000 });
  const spool = await small.spool("call", 50_000);
  await writeFile(spool.rawPath, new Uint8Array(20_000));
  await spool.keep();
  expect((await small.spool("call", 1_000_000)).limitBytes).toBe(40_000);
});

test.skipIf(process.platform === "win32")(
  "a folder that other users can write to, or a link, is refused",
  async () => {
    await chmod(root, 0o777);
    await expect(sidecar.open("call")).rejects.toMatchObject({ code: "invalid_option" });
    await chmod(root, 0o700);
    await written(sidecar, "x");
    await rename(sidecar.folder, `${sidecar.folder}-moved`);
    await symlink(`${sidecar.folder}-moved`, sidecar.folder);
    const next = folderSidecar({ folder: root, sessionId: "one" });
    await expect(next.open("call")).rejects.toMatchObject({ code: "invalid_option" });
    await next.clear();
    expect(await readdir(`${sidecar.folder}-moved`)).toHaveLength(2);
  },
);

test("clear() removes links and leaves their targets alone", async () => {
  await written(sidecar, "x");
  const outside = join(root, "outside");
  await mkdir(outside);
  await appendFile(join(outside, "file"), "stays");
  await symlink(outside, join(sidecar.folder, "to-folder"));
  await symlink(join(outside, "file"), join(sidecar.folder, "to-file"));
  await sidecar.clear();
  expect(existsSync(sidecar.folder)).toBe(false);
  expect(await readFile(join(outside, "file"), "utf8")).toBe("stays");
});

test.each([0, -1, 1.5, Number.NaN])("a quota of %d is an invalid option", (quotaBytes) => {
  expect(() => folderSidecar({ folder: root, sessionId: "x", quotaBytes })).toThrow(
    expect.objectContaining({ code: "invalid_option" }),
  );
});
