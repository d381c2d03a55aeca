import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readGitIndex } from "./git-index.ts";

interface Entry {
  readonly path: string;
  readonly mode?: number;
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
  const parts = entries.map(({ path, mode = 0o100644 }) => {
    const fixed = Buffer.alloc(42 + hash);
    fixed.writeUInt32BE(mode, 24);
    fixed.writeUInt16BE(Math.min(path.length, 0xfff), 40 + hash);
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

const PATHS = ["a", ".git/config", "../x", "/etc/x", "a b/ü", `d/${"x".repeat(4_090)}`];

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

test("other repositories are told apart", () => {
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
  ["another end of its entries", indexOf([{ path: "a" }], { tail: extension("EOIE", 12, 0, 0, 0, 0, 0) })],
])("what can be read in more than one way is not read: %s", (_name, bytes) => {
  expect(readGitIndex(bytes, 20) === undefined).toBe(true);
});

const folder = mkdtempSync(join(tmpdir(), "toolkeep-index-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  [20, "--object-format=sha1"],
  [32, "--object-format=sha256"],
] as const)("what git itself writes is in order, with hashes of %i bytes", (hash, format) => {
  const cwd = join(folder, `${hash}`);
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
  const long = "a".repeat(4_096);
  const bytes = indexOf(
    Array.from({ length: 40_000 }, () => ({ path: long })),
    { version: 4, shares: true },
  );
  expect(bytes.length).toBeLessThan(2 ** 22);
  expect(readGitIndex(bytes, 20) === undefined).toBe(true);
});
