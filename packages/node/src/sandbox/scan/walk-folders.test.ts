import {
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { folderMemory } from "./walk-folders.ts";

let root: string;

beforeEach(() => {
  root = temporaryFolder();
  for (const name of ["one", "other"]) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, `in-${name}`), "");
  }
});

const memory = folderMemory<readonly string[]>();
const statsOf = (name: string) => lstatSync(join(root, name), { bigint: true });

function read(name: string, stats = statsOf(name)): readonly string[] {
  return memory.read({ path: join(root, name), stats, as: "" }, (held) => readdirSync(held.at(".")));
}

test("a folder that replaced the one that was examined is not read, and not remembered", () => {
  const stats = statsOf("one");
  renameSync(join(root, "one"), join(root, "away"));
  renameSync(join(root, "other"), join(root, "one"));
  expect(() => read("one", stats)).toThrow("moved");
  renameSync(join(root, "one"), join(root, "other"));
  renameSync(join(root, "away"), join(root, "one"));
  expect(read("one")).toEqual(["in-one"]);
});

test("nothing is read through a link on the way", () => {
  mkdirSync(join(root, "other/sub"));
  const stats = statsOf("other/sub");
  symlinkSync("other", join(root, "link"));
  expect(() => read("link/sub", stats)).toThrow();
});

test("a folder that has not changed is read once, unless it changed a moment ago", async () => {
  let reads = 0;
  const count = () =>
    memory.read({ path: join(root, "one"), stats: statsOf("one"), as: "counted" }, () => {
      reads += 1;
      return [`${reads}`];
    });
  expect([count(), count()]).toEqual([["1"], ["2"]]);
  await wait(1_050);
  expect([count(), count()]).toEqual([["3"], ["3"]]);
  utimesSync(join(root, "one"), 1, 1);
  expect(count()).toEqual(["4"]);
});
