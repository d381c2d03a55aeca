import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { readGitIndex } from "./git-index.ts";

interface Entry {
  readonly path: string;
  readonly mode?: number;
  /** Length and stage as they are written, if they differ from what they are. */
  readonly flags?: number;
}

/** An index as git writes it, of any version; of the fourth with names that share nothing or all they can. */
function indexOf(
  entries: readonly Entry[],
  { version = 2, hash = 20, shares = false, tail = "" } = {},
): Buffer {
  const head = Buffer.alloc(12);
  head.write("DIRC");
  head.writeUInt32BE(version, 4);
  head.writeUInt32BE(entries.length, 8);
  let before = "";
  const parts = entries.map(({ path, mode = 0o100644, flags = Math.min(path.length, 0xfff) }) => {
    const fixed = Buffer.alloc(42 + hash);
    fixed.writeUInt32BE(mode, 24);
    fixed.writeUInt16BE(flags, 40 + hash);
    if (version < 4) {
      const plain = Buffer.concat([fixed, Buffer.from(path, "latin1")]);
      return Buffer.concat([plain, Buffer.alloc(8 - (plain.length % 8))]);
    }
    let common = 0;
    while (shares && common < before.length && before[common] === path[common]) common += 1;
    const less = before.length - common;
    before = path;
    const bytes = less < 128 ? [less] : [0x80 | ((less >> 7) - 1), less & 0x7f];
    return Buffer.concat([fixed, Buffer.from(bytes), Buffer.from(`${path.slice(common)}\0`, "latin1")]);
  });
  return Buffer.concat([head, ...parts, Buffer.from(tail, "latin1"), Buffer.alloc(hash)]);
}

const PATHS = ["../x", ".git/config", "/etc/x", "a", "a b/ü", `d/${"x".repeat(4_094)}`];

test.each([
  ["the second version", {}],
  ["the third", { version: 3 }],
  ["the fourth", { version: 4 }],
  ["the fourth, with names that share their beginnings", { version: 4, shares: true }],
  ["long hashes", { hash: 32 }],
])("every path is read in %s", (_name, options) => {
  const hash = "hash" in options ? 32 : 20;
  const bytes = indexOf(
    PATHS.map((path) => ({ path })),
    options,
  );
  expect(readGitIndex(bytes, hash)?.entries).toEqual(PATHS.map((path) => ({ path, isRepository: false })));
});

test("other repositories are recognized", () => {
  const bytes = indexOf([{ path: "a" }, { path: "lib/x", mode: 0o160000 }]);
  expect(readGitIndex(bytes, 20)?.entries).toEqual([
    { path: "a", isRepository: false },
    { path: "lib/x", isRepository: true },
  ]);
});

function extension(name: string, ...numbers: readonly number[]): string {
  const bytes = Buffer.alloc(8 + numbers.length * 4);
  bytes.write(name);
  bytes.writeUInt32BE(numbers.length * 4, 4);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number, 8 + index * 4);
  return bytes.toString("latin1");
}

test.each([
  ["more entries than there are", indexOf([{ path: "a" }]).fill(9, 11, 12)],
  ["another version", indexOf([], { version: 5 })],
  ["no index", Buffer.from("something else that is long enough to be one")],
  ["a length that ends within the name", indexOf([{ path: "a\0b" }])],
  [
    "an extension that is longer than the file",
    indexOf([], { tail: extension("TREE").replace("\0\0\0\0", "\0\0\x09\0") }),
  ],
  ["a second beginning of its entries", indexOf([{ path: "a" }], { tail: extension("IEOT", 1, 100, 1) })],
  ["a block with more entries than it has", blocks([12, 1], [76, 2])],
  ["blocks that leave one out", blocks([12, 1])],
  ["a block that begins elsewhere", blocks([12, 1], [12, 1])],
  ["a second table of blocks", blocks([12, 2], [140, 0], extension("IEOT", 1, 12, 2))],
  ["a block whose first name continues the one before", blocks([12, 1], [77, 1], { version: 4 })],
  ["a length that is not that of its name", indexOf([{ path: "ab", flags: 1 }])],
  ["the same, of the fourth version", indexOf([{ path: "ab", flags: 70 }], { version: 4 })],
  ["a length that is too long to be written", indexOf([{ path: "ab", flags: 0xfff }], { version: 4 })],
  ["more letters in what fills it up", indexOf([{ path: "ab" }]).fill("x", 80, 81)],
  ["a longer path than there can be", indexOf([{ path: "x".repeat(4_097) }])],
  ["more flags in the second version", indexOf([{ path: "a", flags: 0x4001 }])],
  ["unknown flags", indexOf([{ path: "\x80\0a", flags: 0x4001 }], { version: 3 })],
  ["a mode that nothing has", indexOf([{ path: "a", mode: 0o100666 }])],
  ["names that do not rise", indexOf([{ path: "b" }, { path: "a" }])],
  ["a name that is there twice", indexOf([{ path: "a" }, { path: "a" }])],
  ["a conflict about what is merged", indexOf([{ path: "a" }, { path: "a", flags: 0x1001 }])],
  ["no name", indexOf([{ path: "" }])],
  ["another repository without a name", indexOf([{ path: "", mode: 0o160000 }], { tail: extension("link") })],
  ["a name behind those without one", indexOf([{ path: "a" }, { path: "" }], { tail: extension("link") })],
  ["a folder where nothing is sparse", indexOf([{ path: "a/", mode: 0o040000 }])],
  ["a file with the name of a folder", indexOf([{ path: "a/" }], { tail: extension("sdir") })],
  ["another end of its entries", indexOf([{ path: "a" }], { tail: extension("EOIE", 12, 0, 0, 0, 0, 0) })],
])("what can be read in more than one way is not read: %s", (_name, bytes) => {
  expect(readGitIndex(bytes, 20) === undefined).toBe(true);
});

/** Two entries, and these blocks of them. */
function blocks(...parts: readonly (readonly number[] | string | { readonly version: number })[]): Buffer {
  const numbers = parts.flatMap((part) => (Array.isArray(part) ? (part as readonly number[]) : []));
  const more = parts.filter((part) => typeof part === "string").join("");
  const version = parts.some((part) => typeof part === "object" && "version" in part) ? 4 : 2;
  const tail = extension("IEOT", 1, ...numbers) + more;
  return indexOf([{ path: "a" }, { path: "ab" }], { version, shares: true, tail });
}

test("blocks that agree with the order are read", () => {
  expect(readGitIndex(blocks([12, 1], [76, 1]), 20)?.entries).toHaveLength(2);
  expect(readGitIndex(blocks([12, 2]), 20)?.entries).toHaveLength(2);
  expect(readGitIndex(blocks([12, 2], { version: 4 }), 20)?.entries).toHaveLength(2);
});

test("the stages of a conflict, and entries without a name in an index that is split, are read", () => {
  const conflict = [0x1001, 0x2001, 0x3001].map((flags) => ({ path: "a", flags }));
  expect(readGitIndex(indexOf(conflict), 20)?.entries).toHaveLength(3);
  const split = [{ path: "" }, { path: "" }, { path: "a" }];
  expect(readGitIndex(indexOf(split, { tail: extension("link") }), 20)?.isSplit).toBe(true);
});

test.each([
  [20, "--object-format=sha1"],
  [32, "--object-format=sha256"],
] as const)("what git itself writes is in order, with hashes of %i bytes", (hash, format) => {
  const cwd = temporaryFolder();
  const git = (...words: readonly string[]) => execFileSync("git", words, { cwd, stdio: "pipe" });
  execFileSync("git", ["init", "-q", format, cwd]);
  execFileSync("/bin/sh", ["-c", "for i in $(seq 300); do mkdir -p d$i/e; echo $i > d$i/e/f; done"], { cwd });
  git("add", ".");
  for (const words of [
    [],
    ["-c", "index.threads=4", "update-index", "--index-version", "4", "--force-write-index"],
    ["-c", "index.threads=4", "update-index", "--index-version", "2", "--force-write-index"],
    ["update-index", "--split-index"],
    ["update-index", "--untracked-cache"],
  ]) {
    if (words.length > 0) git(...words);
    const index = readGitIndex(readFileSync(join(cwd, ".git/index")), hash);
    expect(index?.isSplit === true ? 300 : index?.entries.length, words.join(" ")).toBe(300);
    if (words.includes("--split-index")) expect(index?.isSplit).toBe(true);
  }
});

test("names that grow with every entry are refused before they fill the memory", () => {
  const grows = Array.from({ length: 4_097 }, (_, index) => ({ path: "a".repeat(index + 1) }));
  expect(
    readGitIndex(indexOf(grows.slice(0, 4_096), { version: 4, shares: true }), 20)?.entries,
  ).toHaveLength(4_096);
  expect(readGitIndex(indexOf(grows.slice(0, 4_097), { version: 4, shares: true }), 20) === undefined).toBe(
    true,
  );
  expect(readGitIndex(indexOf([{ path: "a".repeat(4_097) }]), 20) === undefined).toBe(true);
});

test("so are names that share their beginnings and are many times as long as the file", () => {
  const long = "a".repeat(4_090);
  const bytes = indexOf(
    Array.from({ length: 40_000 }, (_, index) => ({ path: `${long}${index + 100_000}` })),
    { version: 4, shares: true },
  );
  expect(bytes.length).toBeLessThan(2 ** 22);
  expect(readGitIndex(bytes, 20) === undefined).toBe(true);
});

test("what git writes about conflicts, files to be added and files outside a sparse checkout is valid", () => {
  const cwd = temporaryFolder();
  const shell = (line: string) => execFileSync("/bin/sh", ["-ec", line], { cwd, stdio: "pipe" });
  const entries = () => readGitIndex(readFileSync(join(cwd, ".git/index")), 20)?.entries.length;
  execFileSync("git", ["init", "-q", "-b", "main", cwd]);
  shell("git config user.name a; git config user.email a@a.test; git config commit.gpgsign false");
  shell(
    "mkdir d0 d1 d2 d3 d4 d5 d6; for i in $(seq 3000); do echo $i > d$((i % 7))/f$i; done; echo 1 > f; ln -s f l",
  );
  shell("git -c index.threads=4 add . && git commit -qm 1");
  shell("git -c index.threads=4 update-index --index-version 4 --force-write-index");
  expect(readFileSync(join(cwd, ".git/index")).includes("IEOT")).toBe(true);
  expect(entries()).toBe(3_002);
  shell(
    "git checkout -qb t; echo 2 > f; git commit -qam 2; git checkout -q main; echo 3 > f; git commit -qam 3",
  );
  shell("git merge -q t || true");
  expect(entries()).toBe(3_004);
  shell("git reset -q --hard; echo 1 > new; git add -N new; git update-index --skip-worktree f");
  expect(entries()).toBe(3_003);
  shell("git update-index --split-index; echo 5 > d1/f1; git add d1/f1; echo x > d1/more; git add d1/more");
  expect(readGitIndex(readFileSync(join(cwd, ".git/index")), 20)?.isSplit).toBe(true);
  shell(
    "git update-index --no-split-index; git commit -qm 4; git sparse-checkout init --cone --sparse-index",
  );
  expect(entries()).toBeLessThan(20);
});
