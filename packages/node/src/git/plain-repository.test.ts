import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { isPlainRepository } from "./plain-repository.ts";

let folder: string;
let git: string;
beforeEach(() => {
  folder = temporaryFolder();
  git = join(folder, ".git");
  execFileSync("git", ["init", "-q", "--template=", folder]);
});

test("a repository that git made is plain, and so is one that it cloned", () => {
  expect(isPlainRepository(git)).toBe(true);
  const copy = join(folder, "copy");
  execFileSync("git", ["clone", "-q", "--template=", `file://${folder}`, copy], { stdio: "ignore" });
  expect(isPlainRepository(join(copy, ".git"))).toBe(true);
});

test.for<[string, (git: string) => void]>([
  ["a hook", (at) => mkdirSync(join(at, "hooks"))],
  ["a program in its settings", (at) => appendFileSync(join(at, "config"), "\tfsmonitor = ./evil\n")],
  ["a filter", (at) => appendFileSync(join(at, "config"), '[filter "x"]\n\tclean = ./evil\n')],
  ["settings from elsewhere", (at) => appendFileSync(join(at, "config"), "[include]\n\tpath = ../evil\n")],
  ["a section that every object has", (at) => writeFileSync(join(at, "config"), "[constructor]\n\tx = 1\n")],
  ["a section and its setting on one line", (at) => appendFileSync(join(at, "config"), "[core] pager = x\n")],
  ["a line that continues", (at) => appendFileSync(join(at, "config"), "[core]\n\tbare = false\\\n")],
  [
    "an address that runs a program",
    (at) => appendFileSync(join(at, "config"), '[remote "x"]\n\turl = ext::x\n'),
  ],
  ["settings of a worktree", (at) => writeFileSync(join(at, "config.worktree"), "")],
  ["objects of another repository", (at) => writeAlternates(at)],
  ["settings behind a link", (at) => linkSettings(at)],
])("with %s it is not", ([, plant]) => {
  plant(git);
  expect(isPlainRepository(git)).toBe(false);
});

function writeAlternates(at: string): void {
  mkdirSync(join(at, "objects/info"), { recursive: true });
  writeFileSync(join(at, "objects/info/alternates"), "/elsewhere\n");
}

function linkSettings(at: string): void {
  execFileSync("mv", [join(at, "config"), join(at, "../moved")]);
  symlinkSync("../moved", join(at, "config"));
}

test("only a folder with git's own name is one", () => {
  writeFileSync(join(folder, "x"), "");
  expect([folder, join(folder, "x"), join(folder, "none/.git")].map(isPlainRepository)).toEqual([
    false,
    false,
    false,
  ]);
});
