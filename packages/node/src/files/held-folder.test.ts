import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { openFile, openHeld } from "./opened-file.ts";
import { holdFolder } from "./pinned-folder.ts";
import { isGone } from "./searched-tree.ts";

let home: string;
const at = (...names: string[]) => join(home, ...names);
beforeEach(() => {
  home = temporaryFolder();
  mkdirSync(at("real/sub"), { recursive: true });
  writeFileSync(at("real/sub/file"), "inside");
});

const heldDescriptors = () => readdirSync("/proc/self/fd").length;

function thrownBy(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}

test("a folder is opened where it really is", () => {
  using folder = holdFolder(at("real/sub"));
  expect(folder.path).toBe(at("real/sub"));
  expect(readdirSync(folder.at(""))).toEqual(["file"]);
  using file = openHeld(folder, "file");
  expect(file.size).toBe("inside".length);
});

test.each([
  ["on its way", () => symlinkSync(at("real"), at("link")), "link/sub"],
  ["at its end", () => symlinkSync(at("real/sub"), at("link")), "link"],
])("a folder is not opened behind a link %s, and nothing stays open", (_where, make, path) => {
  make();
  const before = heldDescriptors();
  expect(isGone(thrownBy(() => holdFolder(at(path))))).toBe(true);
  expect(heldDescriptors()).toBe(before);
});

test.each([
  ["a link", () => symlinkSync(at("real/sub/file"), at("real/sub/other"))],
  ["a pipe", () => execFileSync("mkfifo", [at("real/sub/other")])],
  ["a folder", () => mkdirSync(at("real/sub/other"))],
  ["nothing", () => undefined],
])("what has become %s is not opened, does not block and leaves nothing open", (_what, make) => {
  make();
  using folder = holdFolder(at("real/sub"));
  const before = heldDescriptors();
  expect(isGone(thrownBy(() => openHeld(folder, "other")))).toBe(true);
  expect(heldDescriptors()).toBe(before);
});

test("a file is not opened any more once its folder was moved away", () => {
  using folder = holdFolder(at("real/sub"));
  renameSync(at("real/sub"), at("moved"));
  const error = thrownBy(() => openHeld(folder, "file"));
  expect(ToolFailure.isInstance(error) && error.code).toBe("conflict");
});

test.each([
  ["on its way", () => symlinkSync(at("real"), at("link")), "link/sub/file"],
  ["at its end", () => symlinkSync(at("real/sub/file"), at("link")), "link"],
  ["to a device", () => symlinkSync("/dev", at("link")), "link/null"],
])("a file is not read behind a link %s, and nothing stays open", (where, make, path) => {
  make();
  const before = heldDescriptors();
  const error = thrownBy(() => openFile(at(path)));
  expect(ToolFailure.isInstance(error) && error.code).toBe(
    where === "to a device" ? "tool_failed" : "conflict",
  );
  expect(heldDescriptors()).toBe(before);
});
