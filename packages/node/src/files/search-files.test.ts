import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import type { Files, ListQuery, SearchQuery } from "@toolkeep/core/ports";
import { beforeEach, describe, expect, test } from "vitest";
import { CANARY, type HostileFolders, hostileFolders } from "../../../../tests/races/hostile-folders.ts";
import { all, type FilesSession, withFiles } from "../../../../tests/races/session-files.ts";
import { putFile } from "../../../../tests/temporary-folder.ts";

let folders: HostileFolders;
beforeEach(() => {
  folders = hostileFolders();
});

const at = (...names: string[]) => join(folders.workspace, ...names);
const put = (name: string, content: string | Uint8Array) => putFile(at(name), content);
const withIo = <Value>(act: (files: Files) => Promise<Value>, more: Partial<FilesSession> = {}) =>
  withFiles({ variables: { workspace: [folders.workspace] }, ...more }, act);
const relative = (path: string) => path.slice(folders.workspace.length + 1);

async function listed(query: Partial<ListQuery> & { pattern: string }) {
  const { value, failure } = await withIo((files) => all(files.list({ root: folders.workspace, ...query })));
  return failure?.code ?? (value ?? []).map(({ path }) => relative(path));
}

async function found(query: Partial<SearchQuery> & { pattern: string }, more: Partial<FilesSession> = {}) {
  const { value, failure } = await withIo(
    (files) => all(files.search({ root: folders.workspace, ...query })),
    more,
  );
  const lines = (value ?? []).map(
    ({ path, line, text, context }) => `${relative(path)}:${line}${context ? "-" : ":"}${text}`,
  );
  return failure?.code ?? lines.toSorted();
}

describe("listing", () => {
  beforeEach(() => {
    put(".gitignore", "ignored/\n*.log\n");
    for (const name of ["ignored/c.ts", "src/deep/d.ts", ".hidden/e.ts", "f.log", "src/.g.ts"])
      put(name, "x");
  });

  test("gives what matches beneath the root, without what is ignored or hidden", async () => {
    expect((await listed({ pattern: "**/*.ts" })).toString().split(",").toSorted()).toEqual([
      "src/b.ts",
      "src/deep/d.ts",
    ]);
    expect(await listed({ pattern: "*.txt" })).toEqual(["a.txt"]);
    expect(await listed({ pattern: "src/*.{ts,js}" })).toEqual(["src/b.ts"]);
    expect(await listed({ pattern: "*.ts", root: at("src") })).toEqual(["src/b.ts"]);
  });

  test("gives the rest as well when it is asked to", async () => {
    const every = await listed({ pattern: "**", all: true });
    expect([...every].toSorted()).toEqual(
      [
        ".gitignore",
        ".hidden/e.ts",
        "a.txt",
        "f.log",
        "ignored/c.ts",
        "src/.g.ts",
        "src/b.ts",
        "src/deep/d.ts",
      ].toSorted(),
    );
  });

  test("puts the newest first, with size and time, and stops at the limit", async () => {
    utimesSync(at("src/b.ts"), 100, 200);
    utimesSync(at("a.txt"), 100, 300);
    utimesSync(at("src/deep/d.ts"), 100, 100);
    const query = { root: folders.workspace, pattern: "**", newestFirst: true };
    const { value } = await withIo((files) => all(files.list({ ...query, limit: 2 })));
    expect(value).toEqual([
      { path: at("a.txt"), size: 6, modifiedAt: 300_000 },
      { path: at("src/b.ts"), size: 20, modifiedAt: 200_000 },
    ]);
    expect(await listed({ pattern: "**", limit: 1 })).toHaveLength(1);
    const bounded = await withIo((files) => all(files.list(query)), { bounds: { sortedEntries: 2 } });
    expect(bounded.failure?.code).toBe("too_large");
  });

  test("does not follow links, and takes no pattern that leaves the root or is an option", async () => {
    symlinkSync(folders.outside, at("link"));
    symlinkSync(join(folders.outside, "secret.txt"), at("secret.txt"));
    expect(String(await listed({ pattern: "**/*", all: true }))).not.toContain("secret");
    for (const pattern of ["../**/*", "/etc/*", "{a,../outside}/*", "{a,/etc}/*", "", "src/../../outside/*"])
      expect(await listed({ pattern }), pattern).toBe("invalid_arguments");
    for (const pattern of ["--files-from=/etc/passwd", "--pre=x", "!a.txt", "{{{{{{{{{{a", "{1..100000000}"])
      expect(await listed({ pattern }), pattern).toEqual([]);
    expect(await listed({ pattern: "{a,b}".repeat(20) })).toBe("invalid_arguments");
  });

  test("takes its time by the tree, not by the pattern", async () => {
    put(`${"d/".repeat(60)}x`, "x");
    const start = performance.now();
    expect(await listed({ pattern: `${"**/".repeat(50)}x` })).toHaveLength(1);
    expect(await listed({ pattern: `${"*a".repeat(200)}b` })).toEqual([]);
    expect(performance.now() - start).toBeLessThan(60_000);
  });
});

describe("searching", () => {
  test("gives lines with their positions, and those around them", async () => {
    put("src/c.ts", "one\ntwo\nthree\r\nfour\n");
    expect(await found({ pattern: "t(wo|hree)", glob: "*.ts" })).toEqual([
      "src/c.ts:2:two",
      "src/c.ts:3:three",
    ]);
    expect(await found({ pattern: "TWO", ignoreCase: true, before: 1, after: 1 })).toEqual(
      ["src/c.ts:1-one", "src/c.ts:2:two", "src/c.ts:3-three"].toSorted(),
    );
    expect(await found({ pattern: "one\\ntwo", multiline: true })).toEqual([
      "src/c.ts:1:one",
      "src/c.ts:2:two",
    ]);
    expect(await found({ pattern: "hello", root: at("a.txt") })).toEqual(["a.txt:1:hello"]);
    expect(await found({ pattern: "two", glob: "lib/*.ts" })).toEqual([]);
    expect(await found({ pattern: "nothing like it" })).toEqual([]);
  });

  test("reads marks and wide characters, and leaves binary files out", async () => {
    put("mark.txt", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from("hello mark\nand hello\n")]));
    put("wide.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("x\nhello wide é\n", "utf16le")]));
    put("binary", "hello\n\0\0");
    expect(await found({ pattern: "hello" })).toEqual([
      "a.txt:1:hello",
      "mark.txt:1:hello mark",
      "mark.txt:2:and hello",
      "wide.txt:2:hello wide é",
    ]);
  });

  test("stops at the limit, having shown what follows the last match", async () => {
    put("many.txt", "hit\nafter\n".repeat(200_000));
    expect(await found({ pattern: "hit", limit: 2, after: 1, root: at("many.txt") })).toEqual(
      ["many.txt:1:hit", "many.txt:2-after", "many.txt:3:hit", "many.txt:4-after"].toSorted(),
    );
    expect(await found({ pattern: "hit", limit: 0 })).toEqual([]);
  });

  test("shows the beginning of a line that is too long", async () => {
    put("long.txt", `needle ${"é".repeat(2_000_000)}`);
    const [line] = await found({ pattern: "needle" }, { bounds: { lineBytes: 10 } });
    expect(line).toBe("long.txt:1:needle é…");
  });

  test("treats a pattern as a pattern, whatever it looks like", async () => {
    put("x.sh", `touch ${at("PWNED")}`);
    put("dash.txt", "a --pre=./x.sh here\n-n\n(a+)+$\n");
    expect(await found({ pattern: "--pre=./x.sh" })).toEqual(["dash.txt:1:a --pre=./x.sh here"]);
    expect(await found({ pattern: "-n" })).toEqual(["dash.txt:2:-n"]);
    expect(await found({ pattern: "(a+)+$", literal: true })).toEqual(["dash.txt:3:(a+)+$"]);
    expect(readdirSync(folders.workspace)).not.toContain("PWNED");
    for (const pattern of ["[", "(.*)\\1\\1", "(?=a)b", "", "a\0b", "x".repeat(20_000)])
      expect(await found({ pattern }), pattern.slice(0, 9)).toBe("invalid_arguments");
    for (const glob of ["../*", "/etc/*", "{a,../b}"])
      expect(await found({ pattern: "a", glob }), glob).toBe("invalid_arguments");
  });

  test("takes linear time", async () => {
    put("r.txt", `${"a".repeat(60)}!`);
    const start = performance.now();
    for (const pattern of ["(a+)+$", "(?:a|aa)+$"]) expect(await found({ pattern })).toEqual([]);
    expect(performance.now() - start).toBeLessThan(60_000);
  });

  test("reads no configuration of anybody's", async () => {
    put("rc", `--pre=${at("pre.sh")}\n`);
    put("pre.sh", `#!/bin/sh\ntouch ${at("PWNED")}\ncat "$1"\n`);
    execFileSync("chmod", ["+x", at("pre.sh")]);
    process.env["RIPGREP_CONFIG_PATH"] = at("rc");
    try {
      expect(await found({ pattern: "hello" })).toEqual(["a.txt:1:hello"]);
    } finally {
      delete process.env["RIPGREP_CONFIG_PATH"];
    }
    expect(readdirSync(folders.workspace)).not.toContain("PWNED");
  });

  test("does not follow links, nor starts behind one that leads out", async () => {
    symlinkSync(folders.outside, at("link"));
    expect(await found({ pattern: CANARY, all: true })).toEqual([]);
    expect(await found({ pattern: CANARY, root: at("link") })).toBe("out_of_scope");
    expect(await found({ pattern: "x", root: at("missing") })).toBe("not_found");
  });

  test("a file name with a line break in it cannot speak for another file", async () => {
    const forged = at(`x\n${at("a.txt").slice(1)}`);
    put(relative(forged), "hello forged\n");
    expect(await found({ pattern: "hello" })).toEqual(["a.txt:1:hello"]);
  });

  test("ends with the call", async () => {
    truncateSync(at("a.txt"), 500 * 2 ** 30);
    const before = processesOfRipgrep();
    const start = performance.now();
    const { failure } = await withFiles(
      { variables: { workspace: [folders.workspace] } },
      async (files, cancel) => {
        const search = all(files.search({ root: at("a.txt"), pattern: "never there" }));
        await expect.poll(processesOfRipgrep).toHaveLength(before.length + 1);
        await Promise.all([search, cancel()]);
      },
    );
    expect(failure?.code).toBe("cancelled");
    expect(performance.now() - start).toBeLessThan(60_000);
    await expect.poll(processesOfRipgrep).toEqual(before);
  });

  test("leaves out, and has recorded, what the grant refuses by its name", async () => {
    // To a grant this name is a pattern that could mean a step up.
    for (let index = 0; index < 3; index += 1) put(`d${index}/.?`, "hello\n");
    const query = { root: folders.workspace, pattern: "hello", all: true };
    const few = await withIo((files) => all(files.search(query)));
    expect(few.value?.map(({ path }) => path)).toEqual([at("a.txt")]);
    expect(few.refused).toHaveLength(3);
    for (let index = 3; index < 50; index += 1) put(`d${index}/.?`, "hello\n");
    const many = await withIo((files) => all(files.search(query)));
    expect(many.failure?.code).toBe("out_of_scope");
    expect(many.refused.length).toBeLessThan(10);
  });

  test.skipIf(process.getuid?.() === 0)(
    "continues past folders it may not open (root may open all: skipped)",
    async () => {
      put("closed/x.txt", "hello\n");
      chmodSync(at("closed"), 0);
      expect(await found({ pattern: "hello" })).toEqual(["a.txt:1:hello"]);
      chmodSync(at("closed"), 0o755);
    },
  );

  test.skipIf(!existsSync("/usr/bin/rg"))(
    "works with the system's ripgrep too (skipped if there is none)",
    async () => {
      put("src/c.ts", "hello there\n");
      const bounds = { ripgrepPath: "/usr/bin/rg" };
      expect(await found({ pattern: "hello", glob: "*.ts" }, { bounds })).toEqual(["src/c.ts:1:hello there"]);
    },
  );

  test("explains what to do if there is no ripgrep", async () => {
    expect(await found({ pattern: "x+" }, { bounds: { ripgrepPath: at("missing-rg") } })).toBe("unavailable");
  });
});

/** The ripgrep processes that this one has started and that still run. */
function processesOfRipgrep(): readonly string[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
  return children.filter((pid) => pid !== "" && nameOf(pid) === "rg");
}

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}
