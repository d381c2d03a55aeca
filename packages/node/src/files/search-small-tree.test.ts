import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Grant, SearchQuery } from "@toolkeep/core";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FILE_BOUNDS } from "./file-bounds.ts";
import { FOUND_LINES, type FoundLine, foundLine } from "./found-line.ts";
import { EVERY_PATH } from "./relative-glob.ts";
import { ripgrep } from "./ripgrep.ts";
import { searchSmallTree } from "./search-small-tree.ts";
import { type SearchedTree, walkArguments } from "./searched-tree.ts";

/** `TOOLKEEP_RUNS=5000` is the campaign. */
const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 60);

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-small-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function tree(): SearchedTree {
  const grant = { abortSignal: new AbortController().signal, check: () => undefined } as unknown as Grant;
  return { grant, bounds: FILE_BOUNDS, root, isFolder: true, glob: EVERY_PATH, hidden: false, all: false };
}

const query = (more: Partial<SearchQuery>): SearchQuery => ({ root, pattern: "needle", ...more });
const shown = (lines: readonly FoundLine[]) =>
  lines
    .map(({ path, line, offset, bytes }) => `${path}:${line}:${offset}:${bytes.toString("latin1")}`)
    .toSorted();

async function byRipgrep({ pattern, literal = false, mostPerFile }: SearchQuery): Promise<readonly string[]> {
  const most = mostPerFile === undefined ? [] : [`--max-count=${mostPerFile}`];
  const argv = [...FOUND_LINES, ...(literal ? ["-F"] : []), ...most, "-e", pattern, ...walkArguments(tree())];
  const output = Buffer.concat(
    await Array.fromAsync(ripgrep({ argv, abortSignal: tree().grant.abortSignal })),
  );
  const lines: Buffer[] = [];
  for (let at = 0, end = output.indexOf(10); end !== -1; at = end + 1, end = output.indexOf(10, at))
    lines.push(output.subarray(at, end));
  return shown(lines.map(foundLine).filter((line) => line !== undefined));
}

const piece = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      "needle",
      "needleneedle",
      "\n",
      "\n\n",
      "\r\n",
      "x ",
      "é",
      "a.b",
      "(",
      "needl",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("\r", "\t", "漢", "\u2028", "-", "y".repeat(5_000)) },
);
const content = fc
  .record({
    mark: fc.constantFrom("", "", "", "", "\ufeff"),
    pieces: fc.array(piece, { minLength: 6, maxLength: 30 }),
    rest: fc.constantFrom(...Array<string>(12).fill(""), "\0", "\0needle\n"),
  })
  .map(({ mark, pieces, rest }) => Buffer.from(mark + pieces.join("") + rest));
const sought = fc.record(
  {
    pattern: fc.constantFrom("needle", "needle", "needle", "é", "a.b", "(", "x n", "-", "y", " ", "漢"),
    literal: fc.constant(true),
    mostPerFile: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ["pattern"] },
);

test(
  `finds the lines that ripgrep finds (${RUNS} trees)`,
  async () => {
    let [own, lines] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(content, { minLength: 2, maxLength: 6 }), sought, async (contents, more) => {
        rmSync(root, { recursive: true, force: true });
        mkdirSync(join(root, "sub"), { recursive: true });
        for (const [index, bytes] of contents.entries())
          writeFileSync(join(root, index % 2 === 0 ? "sub" : "", `file-${index}`), bytes);
        const found = await searchSmallTree(tree(), query(more));
        if (found === undefined) return;
        own += 1;
        lines += found.length;
        expect(shown(found)).toEqual(await byRipgrep(query(more)));
      }),
      { numRuns: RUNS },
    );
    console.log(`${own} of ${RUNS} trees searched, ${lines} lines found`);
    expect(own).toBeGreaterThan(RUNS / 4);
    expect(lines).toBeGreaterThan(RUNS);
  },
  30_000 + RUNS * 100,
);

test("leaves to ripgrep what is more than a text, or more than a few texts", async () => {
  const put = (name: string, bytes: string | Buffer) => writeFileSync(join(root, name), bytes);
  put("a.txt", "needle\n");
  expect(await searchSmallTree(tree(), query({}))).toHaveLength(1);
  for (const more of [
    { pattern: "need+le" },
    { pattern: "a\nb", literal: true },
    { ignoreCase: true },
    { multiline: true },
    { before: 1 },
    { after: 1 },
  ])
    expect(await searchSmallTree(tree(), query(more)), JSON.stringify(more)).toBeUndefined();
  const unclear = {
    wide: Buffer.from("\ufeffneedle\n", "utf16le"),
    large: Buffer.alloc(300_000, "x\n"),
    "many matches": Buffer.alloc(200_000, "needle\n"),
    "late NUL": Buffer.concat([Buffer.alloc(70_000, "needle\n"), Buffer.from([0])]),
  };
  for (const [name, bytes] of Object.entries(unclear)) {
    put("other", bytes);
    expect(await searchSmallTree(tree(), query({})), name).toBeUndefined();
  }
  rmSync(join(root, "other"));
  for (let index = 0; index < 250; index += 1) put(`many-${index}`, "x");
  expect(await searchSmallTree(tree(), query({}))).toBeUndefined();
});

test("searches one file that was named, and leaves it to ripgrep if it is binary", async () => {
  const path = join(root, "a.txt");
  const one: SearchedTree = { ...tree(), root: path, isFolder: false };
  writeFileSync(path, "x\nneedle\n");
  expect(await searchSmallTree(one, query({ root: path }))).toMatchObject([{ path, line: 2, offset: 2 }]);
  writeFileSync(path, "needle\n\0");
  expect(await searchSmallTree(one, query({ root: path }))).toBeUndefined();
});

test("follows no link, and reads nothing that is not a file", async () => {
  writeFileSync(join(root, "a.txt"), "needle\n");
  symlinkSync(join(root, "a.txt"), join(root, "link.txt"));
  symlinkSync(root, join(root, "again"));
  const found = await searchSmallTree(tree(), query({}));
  expect(found?.map(({ path }) => path)).toEqual([join(root, "a.txt")]);
});
