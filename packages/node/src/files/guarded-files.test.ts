import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Files } from "@toolkeep/core/ports";
import { beforeEach, describe, expect, test } from "vitest";
import { CANARY, type HostileFolders, hostileFolders } from "../../../../tests/races/hostile-folders.ts";
import { type FilesSession, withFiles } from "../../../../tests/races/session-files.ts";

let folders: HostileFolders;
beforeEach(() => {
  folders = hostileFolders();
});

const at = (...names: string[]) => join(folders.workspace, ...names);
const withIo = <Value>(act: (files: Files) => Promise<Value>, more: Partial<FilesSession> = {}) =>
  withFiles({ variables: { workspace: [folders.workspace] }, ...more }, act);
const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();
const isRoot = process.getuid?.() === 0;

describe("reading", () => {
  test("gives a file, the size of the whole, and a version that changes with it", async () => {
    const { value: first } = await withIo((files) => files.read(at("a.txt")));
    expect(textOf(first?.bytes)).toBe("hello\n");
    expect(first?.size).toBe(6);
    const { value: again } = await withIo((files) => files.read(at("a.txt")));
    expect(again?.version).toBe(first?.version);
    writeFileSync(at("a.txt"), "HELLO\n");
    utimesSync(at("a.txt"), 1, 1);
    const { value: changed } = await withIo((files) => files.read(at("a.txt")));
    expect(changed?.version).not.toBe(first?.version);
  });

  test("gives a range, however large the file is, and less where it ends", async () => {
    truncateSync(at("a.txt"), 50 * 2 ** 30);
    const range = { offset: 4, length: 4 };
    expect(textOf((await withIo((files) => files.read(at("a.txt"), range))).value?.bytes)).toBe("o\n\0\0");
    const end = await withIo((files) => files.read(at("a.txt"), { offset: 50 * 2 ** 30 - 2, length: 9 }));
    expect(end.value).toMatchObject({ bytes: new Uint8Array(2), size: 50 * 2 ** 30 });
    expect((await withIo((files) => files.read(at("a.txt"), { offset: 2 ** 50 }))).value?.bytes).toHaveLength(
      0,
    );
    expect((await withIo((files) => files.read(at("a.txt")))).failure).toMatchObject({ code: "too_large" });
    const bad = await withIo((files) => files.read(at("a.txt"), { offset: -1 }));
    expect(bad.failure?.code).toBe("invalid_arguments");
  });

  test("keeps to the bound it is given", async () => {
    const bounds = { readBytes: 5 };
    expect((await withIo((files) => files.read(at("a.txt")), { bounds })).failure?.code).toBe("too_large");
    const head = await withIo((files) => files.read(at("a.txt"), { length: 5 }), { bounds });
    expect(textOf(head.value?.bytes)).toBe("hello");
  });

  test("refuses pipes, sockets, folders and devices at once", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    const start = performance.now();
    for (const name of ["pipe", "src"]) {
      const { failure } = await withIo((files) => files.read(at(name)));
      expect(failure?.code, name).toBe("tool_failed");
    }
    expect(performance.now() - start).toBeLessThan(30_000);
    symlinkSync("/dev/zero", at("zero"));
    expect((await withIo((files) => files.read(at("zero")))).failure?.code).toBe("out_of_scope");
  });

  test("reads a file that has another name elsewhere", async () => {
    linkSync(at("a.txt"), at("again.txt"));
    expect(textOf((await withIo((files) => files.read(at("again.txt")))).value?.bytes)).toBe("hello\n");
  });

  test("leaves no descriptor open, whatever came of it", async () => {
    const open = () => readdirSync("/proc/self/fd").length;
    const once = () =>
      withIo(async (files) => {
        await files.read(at("a.txt"));
        await files.write(at("new/x"), "x");
        await files.read(at("src")).catch(() => undefined);
        await files.read(at("missing/x")).catch(() => undefined);
        await files.write(at("src"), "x").catch(() => undefined);
        await Array.fromAsync(files.search({ root: folders.workspace, pattern: "hello" }));
      });
    expect((await once()).failure).toBeUndefined();
    const before = open();
    for (let index = 0; index < 20; index += 1) await once();
    expect(open()).toBeLessThanOrEqual(before + 2);
  });
});

describe("writing", () => {
  test("makes files and the folders above them, and replaces what is there", async () => {
    expect((await withIo((files) => files.write(at("new/deep/x.ts"), "x"))).failure).toBeUndefined();
    expect(readFileSync(at("new/deep/x.ts"), "utf8")).toBe("x");
    const { value } = await withIo((files) => files.write(at("a.txt"), new Uint8Array([104, 105])));
    expect(readFileSync(at("a.txt"), "utf8")).toBe("hi");
    expect((await withIo((files) => files.read(at("a.txt")))).value?.version).toBe(value?.version);
    expect(readdirSync(folders.workspace).toSorted()).toEqual(["a.txt", "new", "src"]);
  });

  test("goes through a link that stays inside, and leaves the link", async () => {
    symlinkSync("a.txt", at("inlink"));
    await withIo((files) => files.write(at("inlink"), "through"));
    expect(readFileSync(at("a.txt"), "utf8")).toBe("through");
    expect(lstatSync(at("inlink")).isSymbolicLink()).toBe(true);
  });

  test("keeps the mode, without the bits that lend rights", async () => {
    chmodSync(at("a.txt"), 0o4755);
    await withIo((files) => files.write(at("a.txt"), "#!/bin/sh\n"));
    expect(statSync(at("a.txt")).mode & 0o7777).toBe(0o755);
    await withIo((files) => files.write(at("fresh"), ""));
    expect(statSync(at("fresh")).mode & 0o7777).toBe(0o644 & ~process.umask());
  });

  test.skipIf(!isRoot)("keeps the owner (only root can show it: skipped otherwise)", async () => {
    execFileSync("chown", ["12345:23456", at("a.txt")]);
    await withIo((files) => files.write(at("a.txt"), "x"));
    expect(statSync(at("a.txt"))).toMatchObject({ uid: 12345, gid: 23456, size: 1 });
  });

  test.skipIf(isRoot)("does not change what is read-only (root may: skipped)", async () => {
    chmodSync(at("a.txt"), 0o444);
    expect((await withIo((files) => files.write(at("a.txt"), "x"))).failure?.code).toBe("unavailable");
  });

  test("happens only to the version that was read, or where there is nothing yet", async () => {
    const { value } = await withIo((files) => files.read(at("a.txt")));
    const expects = value?.version as string;
    const next = await withIo((files) => files.write(at("a.txt"), "mine", { expects }));
    expect(next.value?.version).not.toBe(expects);
    const late = await withIo((files) => files.write(at("a.txt"), "theirs", { expects }));
    expect(late.failure?.code).toBe("conflict");
    const taken = await withIo((files) => files.write(at("a.txt"), "theirs", { expects: "absent" }));
    expect(taken.failure?.code).toBe("conflict");
    const gone = await withIo((files) => files.write(at("no/such"), "theirs", { expects }));
    expect(gone.failure?.code).toBe("not_found");
    expect(existsSync(at("no"))).toBe(false);
    const fresh = await withIo((files) => files.write(at("fresh"), "mine", { expects: "absent" }));
    expect(fresh.value?.version).toBe((await withIo((files) => files.read(at("fresh")))).value?.version);
    expect([readFileSync(at("a.txt"), "utf8"), readFileSync(at("fresh"), "utf8")]).toEqual(["mine", "mine"]);
    expect(statSync(at("fresh")).nlink).toBe(1);
  });

  test("of many calls that want to create a file, one creates it", async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        withIo((files) => files.write(at("one"), String(index), { expects: "absent" })),
      ),
    );
    const winners = made.flatMap(({ value }, index) => (value === undefined ? [] : [String(index)]));
    expect(winners).toEqual([readFileSync(at("one"), "utf8")]);
  });

  test("spares hard links, folders and pipes, and what is too large", async () => {
    linkSync(join(folders.outside, "victim.txt"), at("hard"));
    execFileSync("mkfifo", [at("pipe")]);
    expect((await withIo((files) => files.write(at("hard"), "x"))).failure?.code).toBe("conflict");
    for (const name of ["pipe", "src"])
      expect((await withIo((files) => files.write(at(name), "x"))).failure?.code, name).toBe("tool_failed");
    const large = await withIo((files) => files.write(at("x"), "123456"), { bounds: { writeBytes: 5 } });
    expect(large.failure?.code).toBe("too_large");
    expect(readFileSync(join(folders.outside, "victim.txt"), "utf8")).toBe("untouched\n");
    expect(readdirSync(folders.workspace).toSorted()).toEqual(["a.txt", "hard", "pipe", "src"]);
  });

  test("does not happen once the call is cancelled", async () => {
    const done = withFiles({ variables: { workspace: [folders.workspace] } }, async (files, cancel) => {
      await cancel();
      await files.write(at("late"), "x");
    });
    expect((await done).failure?.code).toBe("cancelled");
    expect(existsSync(at("late"))).toBe(false);
  });
});

describe("removing", () => {
  test("takes files and empty folders, one name at a time", async () => {
    linkSync(join(folders.outside, "victim.txt"), at("hard"));
    mkdirSync(at("empty"));
    for (const name of ["a.txt", "hard", "empty"])
      expect((await withIo((files) => files.remove(at(name)))).failure, name).toBeUndefined();
    expect(readdirSync(folders.workspace)).toEqual(["src"]);
    expect(readFileSync(join(folders.outside, "victim.txt"), "utf8")).toBe("untouched\n");
  });

  test("spares links, folders with something in them, roots, and what is not there", async () => {
    symlinkSync("a.txt", at("inlink"));
    symlinkSync(folders.outside, at("out"));
    const codes: Record<string, string> = {
      inlink: "tool_failed",
      src: "conflict",
      "": "out_of_scope",
      x: "not_found",
    };
    for (const [name, code] of Object.entries({
      ...codes,
      out: "out_of_scope",
      "out/victim.txt": "out_of_scope",
    }))
      expect((await withIo((files) => files.remove(at(name)))).failure?.code, name).toBe(code);
    expect(readdirSync(folders.workspace).toSorted()).toEqual(["a.txt", "inlink", "out", "src"]);
    expect(readFileSync(join(folders.outside, "secret.txt"), "utf8")).toContain(CANARY);
  });

  test("spares the workspace even when it is empty", async () => {
    mkdirSync(at("src/root"));
    const more = { variables: { workspace: [at("src/root")] } };
    expect((await withIo((files) => files.remove(at("src/root")), more)).failure?.code).toBe("out_of_scope");
    expect(existsSync(at("src/root"))).toBe(true);
  });
});
