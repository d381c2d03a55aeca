import { execFileSync } from "node:child_process";
import { renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { type SandboxedWorkspace, sandboxedWorkspace } from "../testing/sandboxed-workspace.test.kit.ts";
import { scan, searchedPaths } from "./scan.ts";

let workspace: SandboxedWorkspace;

beforeEach(() => {
  workspace = sandboxedWorkspace();
});

async function found(): Promise<readonly string[]> {
  const finds = await scan([workspace.path]);
  return finds.map(({ path, kind }) => `${path.slice(workspace.path.length + 1)}: ${kind}`).toSorted();
}

test("protected names and secrets are found at any depth, whatever their case", async () => {
  workspace.write({
    "a/b/c/d/e/.git/config": "",
    "a/.Bashrc": "",
    ".VSCODE/x.json": "",
    ".ENV": "",
    "x/server.pem": "",
    "x/.npmrc": "",
    ".github/workflows/x.yml": "",
    "src/head.ts": "",
    "src/components/Head/index.ts": "",
  });
  expect(await found()).toEqual([
    ".ENV: auto-executed secret",
    ".VSCODE/x.json: protected",
    ".VSCODE: protected",
    ".github/workflows: protected",
    "a/.Bashrc: protected",
    "a/b/c/d/e/.git/config: protected",
    "a/b/c/d/e/.git: repository",
    "x/.npmrc: auto-executed secret",
    "x/server.pem: secret",
  ]);
});

test("a folder is a repository by what is in it, and a name alone makes none", async () => {
  workspace.write({
    "bare/HEAD": "",
    "bare/objects/x": "",
    "bare/refs/x": "",
    "bare/config": "",
    "bare/hooks/update": "",
  });
  workspace.write({ "plain/HEAD": "" });
  expect(await found()).toEqual([
    "bare/HEAD: head",
    "bare/config: protected",
    "bare/hooks/update: protected",
    "bare/hooks: protected",
  ]);
});

test("a repository may have its parts elsewhere, and what points to them is protected", async () => {
  workspace.write({ "docs/HEAD": "", "docs/commondir": "../x", "docs/config.worktree": "", "x/config": "" });
  expect(await found()).toEqual([
    "docs/HEAD: head",
    "docs/commondir: protected",
    "docs/config.worktree: protected",
  ]);
});

test("submodules are found at any depth, whatever is on the way, and branches are no settings", async () => {
  const deep = "a/b/c/d/e/f/g/h/i/j";
  workspace.write({
    ".git/HEAD": "",
    ".git/refs/heads/config": "",
    ".git/modules/a/HEAD": "",
    [`.git/modules/${deep}/config`]: "",
    [`.git/modules/${deep}/objects/info/alternates`]: "",
    [`.git/modules/${deep}/refs/heads/config`]: "",
    [`.git/modules/${deep}/logs/refs/heads/hooks`]: "",
    ".git/worktrees/one/commondir": "",
  });
  expect(await found()).toEqual([
    `.git/modules/${deep}/config: protected`,
    `.git/modules/${deep}/objects/info/alternates: protected`,
    ".git/worktrees/one/commondir: protected",
    ".git: repository",
  ]);
});

test("what the settings of a repository name is protected, through links and included files", async () => {
  workspace.write({
    ".git/config": '[core]\n\thooksPath = "scripts/git" ; own\n[includeIf "gitdir:/"] path = ../team.inc\n',
    "team.inc": "[include]\n\tpath=more.inc\n",
    "more.inc": "",
    "tools/git/pre-commit": "",
  });
  symlinkSync("tools", join(workspace.path, "scripts"));
  expect(await found()).toEqual([
    ".git/config: protected",
    ".git: repository",
    "more.inc: protected",
    "scripts: protected",
    "team.inc: protected",
    "tools/git: protected",
  ]);
});

test("a path is recognized by up to three names, and not by the folder that contains the workspace", async () => {
  workspace.write({
    ".local/state/toolkeep/trust.json": "",
    ".local/state/other": "",
    ".claude/inner/deep/file.txt": "",
  });
  expect(await found()).toEqual([
    ".claude/inner: protected",
    ".claude: protected",
    ".local/state/toolkeep: protected",
  ]);
  expect(await scan([join(workspace.path, ".claude/inner")])).toEqual([]);
});

test("what cannot be looked into is what is found, and no more is looked at", async () => {
  const name = "a".repeat(200);
  const line = `for i in {1..25}; do mkdir ${name}; cd ${name}; done`;
  execFileSync("/bin/bash", ["-c", line], { cwd: workspace.path });
  writeFileSync(join(workspace.path, ".bashrc"), "");
  const finds = await scan([workspace.path]);
  expect(finds.map(({ kind }) => kind).toSorted()).toEqual(["protected", "unseen"]);
  execFileSync("/bin/rm", ["-rf", join(workspace.path, name)]);
});

test("links are named and not followed, and what is installed is not looked into", async () => {
  workspace.write({ "node_modules/x/.npmrc": "", "node_modules/x/.git/config": "" });
  symlinkSync("/etc", join(workspace.path, "etc"));
  symlinkSync("/nowhere", join(workspace.path, ".bashrc"));
  expect(await scan([workspace.path])).toEqual([
    expect.objectContaining({ path: join(workspace.path, ".bashrc"), type: "link" }),
  ]);
});

test("a folder is read again when anything in it has changed, also if its time is set back", async () => {
  workspace.write({ "sub/a.txt": "", "elsewhere/.bashrc": "" });
  const sub = join(workspace.path, "sub");
  await wait(1_100);
  expect(await found()).toEqual(["elsewhere/.bashrc: protected"]);
  renameSync(join(workspace.path, "elsewhere/.bashrc"), join(sub, ".bashrc"));
  utimesSync(sub, 0, 0);
  expect(await found()).toEqual(["sub/.bashrc: protected"]);
});

test("each folder is searched once, and the programs of the system are not", () => {
  const read = ["/w/a", "/usr", "/usr/lib", "/usr/local", "/usr/local/bin", "/usr/share/x", "/x"];
  expect(searchedPaths({ read, write: ["/w", "/w/a/b"], cwd: "/w" })).toEqual(["/x", "/w"]);
});

test.each(["/usr/src/app", "/usr/local/app", "/usr/app", "/usr/share/nginx/html", "/usr/local/lib/app"])(
  "a workspace at %s is searched, for commands that only read too",
  (root) => {
    const cwd = `${root}/src`;
    expect(searchedPaths({ read: ["/usr"], write: [root], cwd })).toEqual([root]);
    expect(searchedPaths({ read: ["/usr", root, "/usr/lib"], write: [], cwd })).toEqual([root]);
  },
);
