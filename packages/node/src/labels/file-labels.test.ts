import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fileLabels, labelsFileIn } from "./file-labels.ts";
import { bounded, KEPT_MS, MOST_FILES } from "./stored-labels.ts";

let folder: string;
let file: string;
const TEXT = "the secret is hunter2, and this line is long enough to be told from others\n";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolkeep-labels-"));
  mkdirSync(join(folder, "repo/src"), { recursive: true });
  file = labelsFileIn(join(folder, "sessions"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (path: string) => join(folder, "repo", path);
const labelsOf = (project = "repo") => fileLabels({ file, project: join(folder, project) });
const write = (path: string, text = TEXT) => writeFileSync(at(path), text);

describe("what a session with labels has written", () => {
  test("is known by another one, also after a copy", async () => {
    write("src/note.txt");
    await labelsOf().remember([at("src/note.txt")], ["private"], Date.now());
    copyFileSync(at("src/note.txt"), at("src/other.md"));
    write("src/a.ts", "export {};\n");
    expect(await labelsOf().of([at("src/note.txt")])).toEqual([["private", at("src/note.txt")]]);
    expect(await labelsOf("elsewhere").of([at("src/other.md")])).toEqual([["private", at("src/other.md")]]);
    expect(await labelsOf().of([at("src/a.ts"), at("src/missing.ts"), at("src")])).toEqual([]);
  });

  test("is known in a tree that is read", async () => {
    write("src/note.txt");
    await labelsOf().remember([at("src/note.txt")], ["private", "untrusted"], Date.now());
    expect(await labelsOf().of([`${at("src")}/**`])).toHaveLength(2);
    expect(await labelsOf().of([`${folder}/repo/*/note.txt`])).toHaveLength(2);
    expect(await labelsOf().of([`${folder}/other/**`])).toEqual([]);
  });

  test("is not known any more when its content has changed", async () => {
    write("src/note.txt");
    await labelsOf().remember([at("src/note.txt")], ["private"], Date.now());
    expect(await labelsOf().of([at("src/note.txt")])).toHaveLength(1);
    const long = new Date(Date.now() - 120_000);
    write("src/note.txt", TEXT.replace("hunter2", "another"));
    utimesSync(at("src/note.txt"), long, long);
    expect(await labelsOf().of([at("src/note.txt")])).toEqual([]);
  });

  test("is looked at when it is there: a client writes after it was decided", async () => {
    write("src/note.txt", "before\n");
    const long = new Date(Date.now() - 120_000);
    utimesSync(at("src/note.txt"), long, long);
    await labelsOf().remember([at("src/note.txt"), at("src/new.txt")], ["private"], Date.now());
    expect(await labelsOf().of([at("src/note.txt")])).toEqual([]);
    write("src/note.txt");
    write("src/new.txt", `${TEXT}2`);
    expect(await labelsOf().of([at("src/note.txt")])).toHaveLength(1);
    expect(await labelsOf().of([at("src/new.txt")])).toHaveLength(1);
  });

  test("is known by many files with few bytes in its own project alone", async () => {
    write("src/note.txt", "{}\n");
    await labelsOf().remember([at("src/note.txt")], ["private"], Date.now());
    expect(await labelsOf().of([at("src/note.txt")])).toHaveLength(1);
    expect(await labelsOf("elsewhere").of([at("src/note.txt")])).toEqual([]);
    write("src/empty.txt", "");
    await labelsOf().remember([at("src/empty.txt")], ["private"], Date.now());
    expect(await labelsOf().of([at("src/empty.txt")])).toEqual([]);
  });

  test("is kept for this user alone", async () => {
    write("src/note.txt");
    await labelsOf().remember([at("src/note.txt")], ["private"], Date.now());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "sessions")).mode & 0o777).toBe(0o700);
  });

  test("by several at once is all known", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `src/${index}.txt`);
    await Promise.all(
      names.map(async (name) => {
        write(name, `${TEXT}${name}`);
        await labelsOf().remember([at(name)], ["private"], Date.now());
      }),
    );
    for (const name of names) expect(await labelsOf().of([at(name)])).toHaveLength(1);
  });
});

test("nothing is made where nothing was remembered", async () => {
  expect(await labelsOf().of([at("src"), "/**"])).toEqual([]);
  await labelsOf().remember(["/repo/*.txt"], ["private"], Date.now());
  expect(existsSync(join(folder, "sessions"))).toBe(false);
});

test("what cannot be understood is nothing, and is replaced", async () => {
  mkdirSync(join(folder, "sessions"), { mode: 0o700 });
  writeFileSync(file, "{", { mode: 0o600 });
  expect(await labelsOf().of([at("src")])).toEqual([]);
  write("src/note.txt");
  await labelsOf().remember([at("src/note.txt")], ["private"], Date.now());
  expect(await labelsOf().of([at("src/note.txt")])).toHaveLength(1);
});

test("the oldest are forgotten", () => {
  const now = Date.now();
  const one = (index: number, age = 0, label: "private" | "untrusted" = "untrusted") => ({
    ...{ hash: String(index), size: 100, path: `/${index}`, project: "/p" },
    ...{ labels: [label], at: now - age },
  });
  const many = Array.from({ length: MOST_FILES + 5 }, (_, index) => one(index));
  const old = [one(-1, KEPT_MS + 1, "private"), one(-2, KEPT_MS - 1_000, "private")];
  const { files } = bounded({ version: 1, files: [...old, ...many], awaited: [] }, now);
  expect(files).toHaveLength(MOST_FILES);
  expect(
    files
      .map(({ hash }) => Number(hash))
      .toSorted((a, b) => a - b)
      .slice(0, 2),
  ).toEqual([-2, 6]);
});
