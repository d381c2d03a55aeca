import { renameSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { survey, surveyedPlaces } from "./survey.ts";
import { type WalledWorkspace, walledWorkspace } from "./testing/walled-workspace.ts";

let workspace: WalledWorkspace;

beforeEach(() => {
  workspace = walledWorkspace();
});

afterEach(() => workspace.remove());

async function found(): Promise<readonly string[]> {
  const finds = await survey([workspace.path]);
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
    ".ENV: obeyed secret",
    ".VSCODE/x.json: protected",
    ".VSCODE: protected",
    ".github/workflows: protected",
    "a/.Bashrc: protected",
    "a/b/c/d/e/.git/config: protected",
    "a/b/c/d/e/.git: repository",
    "x/.npmrc: obeyed secret",
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

test("links are named and not followed, and what is installed is not looked into", async () => {
  workspace.write({ "node_modules/x/.npmrc": "", "node_modules/x/.git/config": "" });
  symlinkSync("/etc", join(workspace.path, "etc"));
  symlinkSync("/nowhere", join(workspace.path, ".bashrc"));
  expect(await survey([workspace.path])).toEqual([
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

test("it is looked for once in each place, and not among the programs of the system", () => {
  expect(surveyedPlaces({ read: ["/w/a", "/usr/lib", "/x"], write: ["/w", "/w/a/b"] })).toEqual(["/x", "/w"]);
});
