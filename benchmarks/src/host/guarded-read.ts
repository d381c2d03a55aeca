import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { alternatingRounds } from "./alternating-rounds.ts";
import { benchFolder, withIo } from "./with-io.ts";

const READS = 50;

/** A file of 200 KB, read by Node and by the I/O of a tool. */
export async function guardedRead(rounds: number): Promise<ReadonlyMap<string, readonly number[]>> {
  const folder = benchFolder();
  const path = join(folder.path, "file");
  writeFileSync(path, Buffer.alloc(200_000, "some text\n"));
  const many = async (read: () => Promise<unknown>) => {
    for (let index = 0; index < READS; index += 1) await read();
  };
  try {
    return await withIo(folder.path, [], (io) =>
      alternatingRounds(
        [
          { name: "fs.readFile", run: () => many(() => readFile(path)) },
          { name: "guarded read", run: () => many(() => io.files.read(path)) },
        ],
        rounds,
      ),
    );
  } finally {
    folder.remove();
  }
}
