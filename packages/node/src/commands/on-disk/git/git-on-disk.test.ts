import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { putFile, temporaryFolder } from "../../../../../../tests/temporary-folder.ts";
import { newBudget } from "../../../files/entries.ts";
import { trackedFiles } from "../../../git/git-repository.ts";
import { gitOnDisk } from "./git-on-disk.ts";

let base: string;
let root: string;
beforeEach(() => {
  base = temporaryFolder();
  root = join(base, "ws");
  vi.stubEnv("HOME", base);
  put("src/a.ts");
  git("init", "-q", ".");
});
afterEach(() => vi.unstubAllEnvs());

const put = (path: string, text = "x", mode = 0o644) => putFile(join(root, path), text, mode);

function git(...args: readonly string[]): void {
  const own = ["-c", "user.email=a@b", "-c", "user.name=a", "-c", "protocol.file.allow=always"];
  execFileSync("git", [...own, ...args], { cwd: root, stdio: "ignore" });
}

/** What it takes and runs, with paths from the root. */
function does(
  line: string,
  folder = ".",
  isProtected: (path: string) => boolean = () => false,
): readonly string[] {
  const look = { folder: join(root, folder), roots: [root], home: base, budget: newBudget(), isProtected };
  return gitOnDisk(line.split(" "), look).map(
    ({ capability, target }) =>
      `${capability} ${target.startsWith(root) ? target.slice(root.length + 1) : target}`,
  );
}

function nested(folder: string): void {
  put(`${folder}/f`);
  git("init", "-q", folder);
  git("-C", folder, "add", "f");
  git("-C", folder, "commit", "-qm", "i");
}

describe("the repository that git takes", () => {
  test("the one of the workspace is taken from wherever beneath it", () => {
    expect(does("status")).toEqual([]);
    expect(does("log --oneline", "src")).toEqual([]);
  });

  test("one that came with the files is named, by any way into it", () => {
    nested("vendor/lib");
    for (const name of ["HEAD", "objects/x", "refs/x"]) put(`src/bare/${name}`);
    expect(does("status", "src/bare/refs")).toEqual(["git.read src/bare"]);
    expect(does("log", "vendor/lib")).toEqual(["git.read vendor/lib"]);
    expect(does("-C vendor/lib status")).toEqual(["git.read vendor/lib"]);
    expect(does("--git-dir=src/bare status")).toEqual(["git.read src/bare"]);
    expect(does("add -A")).toEqual(["git.read vendor/lib"]);
    expect(does("add vendor")).toEqual(["git.read vendor/lib"]);
    expect(does("add src/a.ts")).toEqual([]);
    expect(does("status")).toEqual([]);
    git("add", "vendor/lib");
    for (const line of ["status", "diff", "commit -m x"])
      expect(does(line), line).toEqual(["git.read vendor/lib"]);
    for (const line of ["log -p", "status --ignore-submodules=all", "rev-parse HEAD"])
      expect(does(line), line).toEqual([]);
  });

  test("a submodule is git's own: its configuration is in that of the workspace", () => {
    const other = join(base, "other");
    mkdirSync(other);
    for (const args of [
      ["init", "-q", other],
      ["-C", other, "commit", "-q", "--allow-empty", "-m", "i"],
    ])
      git(...args);
    git("submodule", "add", "-q", other, "lib");
    expect(does("status")).toEqual([]);
    expect(does("status", "lib")).toEqual([]);
  });
});

describe("the hooks that git runs", () => {
  test("are those of the project that can be run, by the command that runs them", () => {
    expect(does("commit -m x")).toEqual([]);
    put(".git/hooks/pre-commit", "#!/bin/sh\n", 0o755);
    put(".git/hooks/post-checkout", "#!/bin/sh\n");
    expect(does("commit -m x")).toEqual(["shell.run .git/hooks/pre-commit"]);
    expect(does("merge x")).toEqual(["shell.run .git/hooks/pre-commit"]);
    expect(does("checkout -b x")).toEqual([]);
    put(".git/hooks/post-checkout", "#!/bin/sh\n", 0o755);
    expect(does("switch -c x")).toEqual(["shell.run .git/hooks/post-checkout"]);
    expect(does("log")).toEqual([]);
  });

  test("are found wherever any configuration points to", () => {
    put("tools/hooks/pre-commit", "#!/bin/sh\n", 0o755);
    writeFileSync(join(base, "more"), "[core]\n\thooksPath = tools/hooks\n");
    writeFileSync(join(base, ".gitconfig"), '[includeIf "gitdir:/"]\n\tpath = more\n');
    expect(does("commit -m x")).toEqual(["shell.run tools/hooks/pre-commit"]);
    git("config", "core.hooksPath", ".husky");
    put(".husky/pre-commit", "#!/bin/sh\n", 0o755);
    expect(does("commit -m x")).toContain("shell.run .husky/pre-commit");
  });

  test("a stub of husky is the hook that it calls, or none", () => {
    git("config", "core.hooksPath", ".husky/_");
    const stub = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"';
    for (const name of ["pre-commit", "post-checkout"]) put(`.husky/_/${name}`, stub, 0o755);
    put(".husky/pre-commit", "npm test\n");
    expect(does("commit -m x")).toEqual(["shell.run .husky/pre-commit"]);
    expect(does("checkout -b x")).toEqual([]);
    put(".husky/_/post-checkout", `${stub}\ntouch x\n`, 0o755);
    expect(does("checkout -b x")).toEqual(["shell.run .husky/_/post-checkout"]);
  });

  test("those that the user keeps for all repositories are the user's own programs", () => {
    mkdirSync(join(base, "hooks"));
    writeFileSync(join(base, "hooks/pre-commit"), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(join(base, ".gitconfig"), "[core]\n\thooksPath = ~/hooks\n");
    expect(does("commit -m x")).toEqual([]);
  });
});

describe("what is tracked", () => {
  test.each(["2", "3", "4"])("is read from an index of version %s", (version) => {
    for (const name of ["src/abc.ts", "src/abd.ts", "z", "deep/er/x"]) put(name);
    put("ü.txt");
    git("config", "index.version", version);
    git("add", "-A");
    // An entry that is only meant to be added needs the longer form.
    put("meant");
    git("add", "-N", "meant");
    const names = ["deep/er/x", "meant", "src/a.ts", "src/abc.ts", "src/abd.ts", "z", "ü.txt"];
    expect(trackedFiles(join(root, ".git/index"))?.files).toEqual(names);
  });

  test("a broken index is not an empty one", () => {
    expect(trackedFiles(join(root, ".git/index"))).toEqual({ files: [], repositories: [] });
    put(".git/index", "nothing");
    expect(trackedFiles(join(root, ".git/index"))).toBeUndefined();
    expect(does("status")).toEqual(["git.read .git"]);
  });

  test("a split index is not mistaken for the content of its first file", () => {
    put(".env");
    git("add", "-f", "-A");
    git("update-index", "--split-index");
    expect(does("grep x")).toEqual(["git.read .git"]);
  });

  test("is read by a search, also under the name of a secret, and by what shows changes where a rule protects it", () => {
    put(".env");
    git("add", "-f", "-A");
    expect(does("grep x")).toEqual(["fs.read .env"]);
    expect(does("grep x -- src")).toEqual([]);
    expect(does("grep x -- . :!.env")).toEqual([]);
    expect(does("grep x", "src")).toEqual([]);
    expect(does("diff")).toEqual([]);
    const isProtected = (path: string) => path.endsWith("a.ts");
    for (const line of [
      "diff",
      "show HEAD",
      "log -p",
      "diff --cached",
      "log -U3",
      "blame src/a.ts",
      "cat-file -p HEAD:src/a.ts",
    ])
      expect(does(line, ".", isProtected), line).toEqual(["fs.read src/a.ts"]);
    for (const line of [
      "diff --stat",
      "log --oneline",
      "show --name-only",
      "diff -- . :!src/a.ts",
      "diff -- docs",
    ])
      expect(does(line, ".", isProtected), line).toEqual([]);
  });
});
