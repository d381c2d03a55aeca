import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, type Session, type Tool, type ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { noSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { gitTool } from "../../packages/tools/src/git/git-tool.ts";
import { ALLOW } from "../scenario.ts";

let top: string;
let root: string;
let workspace: Workspace;
let session: Session;
let calls = 0;

// Without a sandbox, so that nothing else keeps a program from running.
beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-git-tool-")));
  root = join(top, "ws");
  mkdirSync(root);
  workspace = await openWorkspace({ roots: [root], sandbox: noSandbox(), sidecars: join(top, "kept") });
  session = await createSession({ ...workspace.sessionOptions(), tools: [gitTool() as Tool], policy: ALLOW });
});
afterAll(async () => {
  await session.close();
  await workspace.close();
  rmSync(top, { recursive: true });
});

function plainGit(...args: readonly string[]): string {
  return execFileSync("git", [...args], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

function git(action: string, args: object = {}, within = session): Promise<ToolResult> {
  calls += 1;
  return within.call({ id: `c${calls}`, name: "git", arguments: { action, ...args } });
}

function commitAll(): void {
  plainGit("config", "user.name", "T");
  plainGit("config", "user.email", "t@example.com");
  plainGit("add", "-A");
  plainGit("commit", "-qm", "first");
}

beforeEach(() => {
  rmSync(root, { recursive: true });
  mkdirSync(root);
});

const HOOKS = [
  ...["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-index-change"],
  ...["reference-transaction", "pre-push", "pre-auto-gc"],
];

describe("a repository", () => {
  test("is made, and its changes are staged, committed and shown as data", async () => {
    expect(await git("init")).toMatchObject({ ok: true });
    writeFileSync(join(root, "a b.txt"), "one\n");
    commitAll();
    writeFileSync(join(root, "a b.txt"), "two\n");
    writeFileSync(join(root, "new"), "");
    const status = await git("status");
    expect(status.data).toMatchObject({
      files: [
        { path: "a b.txt", changed: "modified" },
        { path: "new", state: "untracked" },
      ],
    });
    expect(modelText(await git("diff"))).toContain("-one\n+two");
    expect(await git("add", { paths: ["a b.txt"] })).toMatchObject({ ok: true });
    expect(modelText(await git("diff", { staged: true }))).toContain("-one\n+two");
    expect(modelText(await git("commit", { message: "it's second" }))).toContain("1 file changed");
    expect((await git("log", { count: 1 })).data).toMatchObject({
      commits: [
        {
          author: "T <t@example.com>",
          subject: "it's second",
          commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        },
      ],
    });
    expect(modelText(await git("show", { ref: "HEAD~1" }))).toContain("first");
    expect(await git("branch", { name: "topic" })).toMatchObject({ ok: true });
    const { branches } = (await git("branch")).data as { branches: { name: string; isCurrent: boolean }[] };
    expect(branches.map(({ name, isCurrent }) => [name, isCurrent])).toContainEqual(["topic", false]);
  });

  test("a move is shown with its old path", async () => {
    plainGit("init", "-q");
    writeFileSync(join(root, "old"), "1\n2\n3\n");
    commitAll();
    plainGit("mv", "old", "new");
    expect((await git("status")).data).toMatchObject({
      files: [{ path: "new", from: "old", staged: "renamed" }],
    });
  });

  test("what git refuses is a failure with its words, and what an action needs is asked for", async () => {
    expect(modelText(await git("log"))).toContain("git log failed: fatal: not a git repository");
    expect(modelText(await git("commit"))).toContain("This action needs `message`");
    expect((await git("show", { ref: "--output=x" })).failure).toMatchObject({ code: "invalid_arguments" });
  });

  test("a push asks, with where it goes; a no sends nothing", async () => {
    const asked: string[] = [];
    await using careful = await createSession({
      ...workspace.sessionOptions(),
      tools: [gitTool() as Tool],
      policy: RECOMMENDED_POLICY,
      approver: async ({ effects }) => {
        asked.push(
          ...effects.filter(({ capability }) => capability === "git.push").map(({ target }) => target),
        );
        return { verdict: "reject" };
      },
    });
    plainGit("init", "-q", "-b", "main");
    writeFileSync(join(root, "a"), "a\n");
    commitAll();
    const remote = join(top, "asked.git");
    execFileSync("git", ["init", "-q", "--bare", remote]);
    plainGit("remote", "add", "origin", remote);
    expect(await git("push", { name: "main" }, careful)).toMatchObject({
      ok: false,
      failure: { code: "denied" },
    });
    expect(asked).toEqual(["origin main"]);
    expect(spawnSync("git", ["-C", remote, "rev-parse", "main"]).status).not.toBe(0);
    expect(await git("push", { name: "main" })).toMatchObject({ ok: true });
    expect(spawnSync("git", ["-C", remote, "rev-parse", "main"]).status).toBe(0);
    rmSync(remote, { recursive: true });
  });
});

describe("a repository that brings programs", () => {
  const mark = () => join(top, "ran");
  const program = () => join(root, "evil");

  const remote = () => join(top, "remote.git");

  /** Made once, and copied for each test. */
  beforeAll(() => {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    plainGit("init", "-q", "-b", "main");
    writeFileSync(join(root, "a.txt"), "one\n");
    commitAll();
    writeFileSync(program(), `#!/bin/sh\necho ran >> ${mark()}\ncat 2>/dev/null\n`, { mode: 0o755 });
    appendFileSync(
      join(root, ".git/config"),
      [
        `[core]\nfsmonitor = ${program()}\npager = ${program()}\neditor = ${program()}`,
        `sshCommand = ${program()}\naskPass = ${program()}\n[credential]\nhelper = ${program()}`,
        `[filter "evil"]\nclean = ${program()}\n[gc] [FILTER "E\\"vil"]\nprocess = ${program()}`,
        `[diff]\nexternal = ${program()}\n[diff "evil"]\ntextconv = ${program()}\ncommand = ${program()}`,
        `[gpg]\nprogram = ${program()}\n[commit]\ngpgSign = true\n[log]\nshowSignature = true`,
        `[alias]\nstatus = !${program()}\n[protocol "ext"]\nallow = always`,
        `[remote "origin"]\nurl = ${remote()}\nreceivepack = ${program()}\n`,
      ].join("\n"),
    );
    for (const name of HOOKS)
      writeFileSync(join(root, ".git/hooks", name), `#!/bin/sh\necho ran >> ${mark()}\n`, { mode: 0o755 });
    mkdirSync(join(root, ".git/info"), { recursive: true });
    writeFileSync(join(root, ".git/info/attributes"), '*.txt filter=evil diff=evil\n*.bin filter=E\\"vil\n');
    writeFileSync(join(root, "a.txt"), "two\n");
    cpSync(root, join(top, "template"), { recursive: true });
    execFileSync("git", ["init", "-q", "--bare", remote()]);
  });
  beforeEach(() => {
    cpSync(join(top, "template"), root, { recursive: true });
    rmSync(mark(), { force: true });
  });

  test.for([
    ["status", {}],
    ["diff", {}],
    ["log", { ref: "HEAD" }],
    ["show", {}],
    ["branch", {}],
    ["branch", { name: "topic" }],
    ["commit", { message: "second" }],
    ["add", { paths: ["a.txt"] }],
    ["push", { name: "main" }],
    ["push", { name: "main", remote: "ext::sh -c evil" }],
  ] as const)("runs none of them for %s %o", async ([action, args]) => {
    if (action === "commit") {
      writeFileSync(join(root, "b"), "b\n");
      await git("add", { paths: ["b"] });
    }
    const result = await git(action, args);
    expect(existsSync(mark())).toBe(false);
    const isRefused = action === "add" || "remote" in args;
    expect([result.ok, modelText(result)]).toEqual([!isRefused, expect.any(String)]);
    if (action === "add") expect(modelText(result)).toContain("Use `bash`, where the policy decides");
  });

  test("which git alone would run", () => {
    plainGit("status");
    expect(existsSync(mark())).toBe(true);
  });

  test("is refused where its settings are in other files", async () => {
    appendFileSync(join(root, ".git/config"), "[include]\npath = ../more\n");
    expect(modelText(await git("status"))).toContain("includes other files");
  });
});
