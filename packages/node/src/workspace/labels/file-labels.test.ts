import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { fileLabels, labelsFileIn } from "./file-labels.ts";
import { bounded, KEPT_MS, MOST_FILES } from "./stored-labels.ts";

let folder: string;
let file: string;
const TEXT = "the secret is hunter2, and this line is long enough to be told from others\n";

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, "repo/src"), { recursive: true });
  file = labelsFileIn(join(folder, "sessions"));
});

const at = (path: string) => join(folder, "repo", path);
const labelsOf = (project = "repo") => fileLabels({ file, project: join(folder, project) });
const write = (path: string, text = TEXT) => writeFileSync(at(path), text);
/** Resolves when the file is older than what the clocks of file systems are behind. */
async function later(path: string): Promise<void> {
  while (Date.now() < statSync(path).ctimeMs + 100) await wait(10);
}

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
    // It is not awaited any more.
    await labelsOf().remember([at("src/note.txt")], ["private"], Date.now() - 2 * 60 * 60_000);
    expect(await labelsOf().of([at("src/note.txt")])).toHaveLength(1);
    write("src/note.txt", TEXT.replace("hunter2", "another"));
    expect(await labelsOf().of([at("src/note.txt")])).toEqual([]);
  });

  test("is looked at when it is there: a client writes after it was decided", async () => {
    write("src/note.txt", "before\n");
    await later(at("src/note.txt"));
    await labelsOf().remember([at("src/note.txt"), at("src/new.txt")], ["private"], Date.now());
    expect(await labelsOf().of([at("src/note.txt")])).toEqual([]);
    write("src/note.txt");
    write("src/new.txt", `${TEXT}2`);
    expect(await labelsOf().of([at("src/note.txt")])).toHaveLength(1);
    expect(await labelsOf().of([at("src/new.txt")])).toHaveLength(1);
  });

  test("is known after a copy with its times and after a move, also where it was not known before", async () => {
    const long = new Date(Date.now() - 120_000);
    for (const [name, put] of [
      ["copy", (to: string) => cpSync(at("a"), to, { preserveTimestamps: true })],
      ["move", (to: string) => renameSync(at("a"), to)],
    ] as const) {
      write("a", `${TEXT}${name}`);
      utimesSync(at("a"), long, long);
      await later(at("a"));
      await labelsOf().remember([at(name)], ["private"], Date.now());
      put(at(name));
      expect(statSync(at(name)).mtimeMs).toBeLessThan(Date.now() - 60_000);
      expect(await labelsOf().of([at(name)])).toEqual([["private", at(name)]]);
    }
  });

  test.each(["no{te}.txt", "no*te.txt", "note?.txt"])("is known under the name %s", async (name) => {
    write(name);
    await labelsOf().remember([at(name)], ["private"], Date.now());
    expect(await labelsOf().of([at(name)])).toEqual([["private", at(name)]]);
    renameSync(at(name), at(`2${name}`));
    expect(await labelsOf().of([at(`2${name}`)])).toEqual([["private", at(`2${name}`)]]);
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
  await labelsOf().remember(["/repo/**"], ["private"], Date.now());
  expect(existsSync(join(folder, "sessions"))).toBe(false);
});

const ENTRY = { hash: "a", size: 1, path: "/a", project: "/", labels: ["private"], at: 1 };

test.each([
  ["half of it", '{"version":1,"files":['],
  ["nothing", ""],
  ["null", "null"],
  ["another version", '{"version":2,"files":[],"awaited":[]}'],
  ["an entry without labels", JSON.stringify({ version: 1, files: [{ hash: "a", at: 1 }], awaited: [] })],
  [
    "an unknown label",
    JSON.stringify({ version: 1, files: [{ ...ENTRY, labels: ["secret"] }], awaited: [] }),
  ],
])("with %s in the file, nothing is known, and it stays as it is", async (_, text) => {
  mkdirSync(join(folder, "sessions"), { mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
  write("src/note.txt");
  const message = `mv ${file} ${file}.broken`;
  await expect(labelsOf().of([at("src/note.txt")])).rejects.toThrow(message);
  await expect(labelsOf().remember([at("src/note.txt")], ["private"], Date.now())).rejects.toThrow(message);
  expect(readFileSync(file, "utf8")).toBe(text);
  rmSync(file);
  expect(await labelsOf().of([at("src/note.txt")])).toEqual([]);
});

test("a file that others can write to is not believed", async () => {
  mkdirSync(join(folder, "sessions"), { mode: 0o700 });
  writeFileSync(file, '{"version":1,"files":[],"awaited":[]}');
  chmodSync(file, 0o666);
  await expect(labelsOf().of([at("src/note.txt")])).rejects.toThrow("cannot be used");
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
