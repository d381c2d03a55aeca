import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { takeFileLock } from "../owned-files/with-file-lock.ts";
import { sweepCacheLayers } from "./sweep-cache-layers.ts";

let layers: string;

beforeEach(() => {
  layers = temporaryFolder();
});

/** A layer with two files, which was last used so many days ago. */
function layer(name: string, days: number): string {
  const path = join(layers, name);
  mkdirSync(join(path, "go-build/upper"), { recursive: true });
  for (const file of ["a", "b"]) writeFileSync(join(path, "go-build/upper", file), "x");
  writeFileSync(`${path}.lock`, "");
  const used = new Date(Date.now() - days * 24 * 60 * 60 * 1_000);
  utimesSync(`${path}.lock`, used, used);
  return path;
}

test("a layer that was unused for a month is removed, unless a command has it open", async () => {
  const [unused, open, used] = [layer("one/0", 40), layer("one/1", 40), layer("two/0", 1)];
  const held = takeFileLock(`${open}.lock`);
  await sweepCacheLayers(layers);
  held?.close();
  expect([unused, open, used].map(existsSync)).toEqual([false, true, true]);
});

test("a layer that holds too much is removed, and one is counted once a day", async () => {
  const bounds = { bytes: 1e9, entries: 2 };
  const large = layer("one/0", 0);
  await sweepCacheLayers(layers, { bounds });
  expect(existsSync(large)).toBe(false);
  const next = layer("one/0", 0);
  await sweepCacheLayers(layers, { bounds });
  expect(existsSync(next)).toBe(true);
});
