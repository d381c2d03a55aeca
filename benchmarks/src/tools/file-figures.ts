import { writeFileSync } from "node:fs";
import { copyFile, open, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { alternatingRounds } from "../host/alternating-rounds.ts";
import type { Times } from "./search-figures.ts";
import { REPEATED, type ToolBench } from "./tool-bench.ts";

/** The time of `REPEATED` runs. */
export const COPY = "copy of 1 MB";
export const SYNCED = "copy of 1 MB, synced";
export const EDIT = "edit in 1 MB, on its I/O";
export const EDIT_CALL = "edit in 1 MB, whole call";
export const SAFE_EDIT = "bare safe edit in 1 MB: read, replace, write next to it, fsync, rename";
export const RAW = "raw read of 200 KB";
export const READ = "read of 200 KB with line numbers, on its I/O";
export const READ_CALL = "read of 200 KB with line numbers, whole call";
export const NUMBERED = "read of 200 KB as text, split, number, join";
export const SMALL_RAW = "fs.readFile of 1 KB";
export const SMALL_CALL = "read of 1 KB, whole call";

const LINE = "a line of some text, neither short nor long, as they are\n";

/** Reading and editing one file, compared with the system calls alone. */
export async function oneFile(bench: ToolBench, folder: string, rounds: number): Promise<Times> {
  const at = (name: string) => join(folder, name);
  const [small, text, edited, copied] = [at("small.txt"), at("text.txt"), at("edited.txt"), at("copied.txt")];
  writeFileSync(small, LINE.repeat(Math.floor(1_024 / LINE.length)));
  writeFileSync(text, LINE.repeat(Math.floor(190_000 / LINE.length)));
  const half = LINE.repeat(Math.floor(524_288 / LINE.length));
  writeFileSync(edited, `${half}marked\n${half}`);
  const marks = ["marked", "other mark"] as const;
  const edit = (index: number) => {
    const [old_string, new_string] = index % 2 === 0 ? marks : marks.toReversed();
    return bench.call("edit", { path: edited, old_string, new_string });
  };
  const [old_string, new_string] = marks;
  return alternatingRounds(
    [
      { name: COPY, run: () => many(() => copyFile(edited, copied)) },
      { name: SYNCED, run: () => many(() => syncedCopy(edited, copied)) },
      { name: SAFE_EDIT, run: () => many(() => safeEdit(edited, copied)) },
      { name: EDIT, run: () => bench.call("edit_repeated", { path: edited, old_string, new_string }) },
      { name: EDIT_CALL, run: () => many(edit) },
      { name: RAW, run: () => many(() => readFile(text)) },
      { name: NUMBERED, run: () => many(() => numbered(text)) },
      { name: READ, run: () => bench.call("read_repeated", { path: text }) },
      { name: READ_CALL, run: () => many(() => bench.call("read", { path: text })) },
      { name: SMALL_RAW, run: () => many(() => readFile(small)) },
      { name: SMALL_CALL, run: () => many(() => bench.call("read", { path: small })) },
    ],
    rounds,
  );
}

async function many(act: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < REPEATED; index += 1) await act(index);
}

/** The least that shows a text with its line numbers. */
async function numbered(path: string): Promise<string> {
  const lines = (await readFile(path, "utf8")).split("\n");
  return lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join("\n");
}

/** The least that replaces a text in a file without ever leaving half of it. */
async function safeEdit(from: string, to: string): Promise<void> {
  const bytes = await readFile(from);
  const mark = bytes.includes("marked") ? "marked" : "other mark";
  const at = bytes.indexOf(mark);
  const fresh = Buffer.from("third mark");
  await using file = await open(`${to}.new`, "w");
  await writeFile(file, Buffer.concat([bytes.subarray(0, at), fresh, bytes.subarray(at + mark.length)]));
  await file.sync();
  await rename(`${to}.new`, to);
}

/** The minimum of an edit: a new file, synced to the disk, that replaces the old one. */
async function syncedCopy(from: string, to: string): Promise<void> {
  await copyFile(from, `${to}.new`);
  await using file = await open(`${to}.new`, "r+");
  await file.sync();
  await rename(`${to}.new`, to);
}

/** How many full collections a number of edits of 1 MB force, with the whole pipeline. */
export async function fullCollections(bench: ToolBench, folder: string, edits: number): Promise<number> {
  const path = join(folder, "collected.txt");
  const half = LINE.repeat(Math.floor(524_288 / LINE.length));
  writeFileSync(path, `${half}marked\n${half}`);
  let full = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if ((entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        full += 1;
  });
  observer.observe({ entryTypes: ["gc"] });
  for (let edit = 0; edit < edits; edit += 1) {
    const [old_string, new_string] = edit % 2 === 0 ? ["marked", "other mark"] : ["other mark", "marked"];
    await bench.call("edit", { path, old_string, new_string });
  }
  // Collections are reported in a turn of their own.
  await new Promise((resolve) => setTimeout(resolve, 50));
  observer.disconnect();
  return full;
}
