import { writeFileSync } from "node:fs";
import { copyFile, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { alternatingRounds } from "../host/alternating-rounds.ts";
import type { Times } from "./search-figures.ts";
import { REPEATED, type ToolBench } from "./tool-bench.ts";

/** The time of `REPEATED` runs. */
export const COPY = "copy of 1 MB";
export const SYNCED = "copy of 1 MB, synced";
export const EDIT = "edit in 1 MB, on its I/O";
const EDIT_CALL = "edit in 1 MB, whole call";
export const RAW = "raw read of 200 KB";
export const READ = "read of 200 KB with line numbers, on its I/O";
const READ_CALL = "read of 200 KB with line numbers, whole call";

const LINE = "a line of some text, neither short nor long, as they are\n";

/** Reading and editing one file, compared with the system calls alone. */
export async function oneFile(bench: ToolBench, folder: string, rounds: number): Promise<Times> {
  const at = (name: string) => join(folder, name);
  const [text, edited, copied] = [at("text.txt"), at("edited.txt"), at("copied.txt")];
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
      { name: EDIT, run: () => bench.call("edit_repeated", { path: edited, old_string, new_string }) },
      { name: EDIT_CALL, run: () => many(edit) },
      { name: RAW, run: () => many(() => readFile(text)) },
      { name: READ, run: () => bench.call("read_repeated", { path: text }) },
      { name: READ_CALL, run: () => many(() => bench.call("read", { path: text })) },
    ],
    rounds,
  );
}

async function many(act: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < REPEATED; index += 1) await act(index);
}

/** The minimum of an edit: a new file, synced to the disk, that replaces the old one. */
async function syncedCopy(from: string, to: string): Promise<void> {
  await copyFile(from, `${to}.new`);
  await using file = await open(`${to}.new`, "r+");
  await file.sync();
  await rename(`${to}.new`, to);
}
