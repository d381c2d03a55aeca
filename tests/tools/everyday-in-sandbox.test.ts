import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSession, type Session } from "@toolkeep/core";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { bubblewrapSandbox, openSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/* What an hour of ordinary work in the sandbox asks, with the recommended rules and without trust. Nothing is run. */

const sandbox = await openSandbox({ prefer: [bubblewrapSandbox()], orNone: true });
const reason = sandbox.isolation === "none" ? ": skipped, bubblewrap does not work here" : "";
const AS = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "safe.directory=*"];

let base: string;
let root: string;
let workspace: Workspace;
let asked: { readonly prompt: readonly string[] }[];

function git(...args: readonly string[]): void {
  execFileSync("git", [...AS, ...args], { cwd: root });
}

function put(name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-everyday-")));
  chmodSync(base, 0o711);
  root = join(base, "root");
  put(".npmrc", "save-exact=true\n");
  put(".env.test", "MODE=test\n");
  put(".env.prod", `API_TOKEN=ghp_${"a1B2".repeat(9)}\n`);
  put("a.md", "one\n");
  put("docs/README.md", "docs\n");
  put("scripts/a.py", "print(1)\n");
  put("package.json", JSON.stringify({ scripts: { test: "node --test" } }));
  put("sub/b.txt", "b\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("branch", "fix/total");
  git("branch", "docs");
  put(".env", "KEY=hunter2\n");
  workspace = await openWorkspace({ roots: [root], sandbox, sidecars: join(base, "sidecars") });
  asked = [];
});

afterEach(async () => {
  await workspace.close();
  rmSync(base, { recursive: true, force: true });
});

function open(): Promise<Session> {
  return createSession({
    ...workspace.sessionOptions(),
    tools: standardTools(),
    policy: RECOMMENDED_POLICY,
    approver: async ({ lines }) => {
      asked.push({ prompt: lines });
      return { verdict: "reject" };
    },
    grantIo: () => {
      throw new Error("nothing is run here");
    },
  });
}

/** Whether each line asks, one after the other in one session. */
async function asks(...lines: readonly string[]): Promise<readonly string[]> {
  await using session = await open();
  const asking: string[] = [];
  for (const command of lines) {
    const before = asked.length;
    await session.call("bash", { command });
    if (asked.length > before) asking.push(command);
  }
  return asking;
}

describe.skipIf(sandbox.isolation === "none")(`everyday lines in the sandbox${reason}`, () => {
  test("a tracked file that is as recorded and holds no secret is not private", async () => {
    const lines = ["cat .npmrc", "git show HEAD:.npmrc", "cat .env.test", "cd sub && cat b.txt"];
    expect(await asks(...lines, "npm install left-pad", "npm view left-pad")).toEqual([]);
  });

  test("what is changed, untracked, holds a token or is another version asks, and marks", async () => {
    appendFileSync(join(root, ".env.test"), "PASSWORD=hunter2\n");
    for (const line of [
      "cat .env.test",
      "cat .env",
      "cat .npmrc .env",
      "cat .env.prod",
      "git show HEAD:.env.prod",
      "git show HEAD~1:.npmrc",
      "cat ../.npmrc",
      "cp .npmrc sub/x",
      "cat .npm*",
    ])
      expect(await asks(line), line).toEqual([line]);
  });

  test("local branches are switched to and merged, and clean files removed", async () => {
    git("pack-refs", "--all");
    git("branch", "loose");
    const lines = [
      "git checkout fix/total",
      "git checkout -q loose",
      "git switch main",
      "git switch -q main",
    ];
    expect(await asks(...lines, "git merge fix/total", "git rm a.md")).toEqual([]);
  });

  test("paths, unknown names and options that discard still ask", async () => {
    git("tag", "loose");
    git("branch", "loose");
    for (const line of [
      "git checkout docs",
      "git checkout a.md",
      "git checkout unknown",
      "git checkout loose",
      "git checkout HEAD",
      "git checkout -f fix/total",
      "git checkout fix/total a.md",
      "git checkout fix/total -- .",
      "git checkout .",
      "git switch -f main",
      "git switch --discard-changes main",
      "git switch -C main",
      "git switch unknown",
      "git switch --no-guess -f main",
      "git merge unknown",
      "git merge origin/main",
      "git merge -s ours fix/total",
      "git merge main@{upstream}",
      "git rm -f a.md",
      "git rm -rf .",
      "git rm -r .",
      "git rm ':(glob)**'",
      "git rm .npmrc",
      "cd docs && git checkout b.txt",
    ])
      expect(await asks(line), line).toEqual([line]);
  });

  test("a prompt names a command once, and no number as a file", async () => {
    await asks("FOO=bar npm test", "cat a.md | unknown | head -c 200 b.md");
    const [first, second] = asked;
    expect(first?.prompt.filter((line) => line.includes("| shell.run npm test (inferred)"))).toHaveLength(1);
    expect(second?.prompt.join("\n")).not.toContain("/200");
  });
});
