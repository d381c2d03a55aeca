import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { bubblewrapSandbox } from "../bubblewrap/bubblewrap.ts";
import { probeSandbox } from "../probe/probe-sandbox.ts";
import {
  runLine,
  type SandboxedWorkspace,
  sandboxedWorkspace,
} from "../testing/sandboxed-workspace.test.kit.ts";

const { isolation } = await probeSandbox(bubblewrapSandbox());
const reason = isolation === "none" ? ": skipped, bubblewrap does not work here" : "";

let workspace: SandboxedWorkspace;

const TRACKED = {
  ".npmrc": "save-exact=true\nregistry=https://registry.example/\n",
  "certs/server.pem": "-----BEGIN CERTIFICATE-----\ntest\n",
  ".env.test": "MODE=test\n",
  "credentials.json": "{}\n",
  "a.txt": "one\n",
};

const AS = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "safe.directory=*"];

function git(...args: readonly string[]): string {
  const text = execFileSync("git", [...AS, ...args], { cwd: workspace.path, encoding: "utf8" });
  // What git has made belongs to the user of the workspace.
  workspace.write({});
  return text;
}

beforeEach(() => {
  workspace = sandboxedWorkspace();
  workspace.write(TRACKED);
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
});

function at(name: string): string {
  return join(workspace.path, name);
}

async function run(line: string, changes = {}): Promise<string> {
  const identity =
    "export GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@e GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@e";
  const sandbox = bubblewrapSandbox({ protection: { quarantine: workspace.quarantine } });
  const { output, complaint } = await runLine(
    sandbox,
    `exec 2>&1; ${identity}; ${line}`,
    workspace.profile(changes),
  );
  return complaint === undefined ? output : `${output}${String(complaint)}`;
}

describe.skipIf(isolation === "none")(`tracked files with names of secrets${reason}`, () => {
  test("git status in the sandbox tells the truth about a tracked .npmrc", async () => {
    expect(await run("git status --short && git diff --stat && cat .npmrc certs/server.pem")).toBe(
      TRACKED[".npmrc"] + TRACKED["certs/server.pem"],
    );
  });

  test("git diff, add -A, commit -a, stash and checkout work as outside", async () => {
    const output = await run(
      [
        "echo two >> a.txt && git diff --stat | tail -1",
        "git commit -qam second && git log --oneline | wc -l",
        "echo new > b.txt && git add -A && git status --short",
        "git stash -q && git status --short && git stash pop -q && git status --short",
        "git commit -qm third && git checkout -q -b other && echo x > certs/server.pem && git commit -qam fourth",
        "git checkout -q main && cat certs/server.pem && git checkout -q other && cat certs/server.pem",
        "git status --short",
      ].join(" && "),
    );
    expect(output.split("\n")).toEqual([
      " 1 file changed, 1 insertion(+)",
      "2",
      "A  b.txt",
      "A  b.txt",
      ...TRACKED["certs/server.pem"].trimEnd().split("\n"),
      "x",
      "",
    ]);
  });

  test("untracked, ignored, staged by name alone and modified ones stay hidden", async () => {
    workspace.write({ ".env": "KEY=untracked", "ignored.pem": "KEY=ignored", ".gitignore": "ignored.pem\n" });
    appendFileSync(at("certs/server.pem"), "KEY=modified");
    appendFileSync(at(".env.test"), "KEY=modified");
    git("add", "-N", ".env");
    const output = await run("cat .env ignored.pem certs/server.pem .env.test");
    expect(output).not.toContain("KEY");
  });

  test("what also decides what is run can be read and not be changed", async () => {
    const output = await run(
      "echo x >> .npmrc; echo x >> .env.test; mv .npmrc a; rm -f .env.test; echo ok >> credentials.json",
    );
    expect(output).toMatch(/\.npmrc: Read-only[\s\S]*\.env\.test: Read-only[\s\S]*busy[\s\S]*busy/);
    expect(git("status", "--short")).toBe(" M credentials.json\n");
  });

  test("what a rule denies or the host application hides stays hidden", async () => {
    const denied = { isDeniedToRead: (path: string) => path === at(".npmrc") };
    expect(await run("cat .npmrc", denied)).not.toContain("save-exact");
    expect(await run("cat certs/server.pem", { hidden: [at("certs")] })).not.toContain("CERTIFICATE");
    expect(await run("cat certs/server.pem", { hidden: [at(".git")] })).not.toContain("CERTIFICATE");
  });

  test("a command cannot make a hidden file known by what it writes into the index", async () => {
    workspace.write({ ".env": "KEY=untracked" });
    const output = await run(
      [
        "git add -f .env",
        "git update-index --add --cacheinfo 100644,$(git hash-object -w a.txt),.env",
        "git commit -qm planted",
        "cat .env",
      ].join("; "),
    );
    expect(output + (await run("git status --short; cat .env; git show HEAD:.env"))).not.toContain("KEY");
  });

  test("content that is guessed is compared with few guesses", async () => {
    workspace.write({ ".env": "PIN=20" });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const seen: string[] = [];
    for (let guess = 0; guess < 21; guess += 1) {
      const line = `git update-index --add --cacheinfo 100644,$(printf PIN=${guess} | git hash-object -w --stdin),.env`;
      seen.push(await run(`cat .env; ${line}`));
    }
    seen.push(await run("cat .env"));
    expect(seen.join("")).not.toContain("PIN");
  });

  test("links, worktrees, submodules, nested repositories and other forms of the index", async () => {
    workspace.write({ "real.txt": "plain\n", "lib/key.pem": "nested\n", "secret.txt": "hidden\n" });
    symlinkSync("real.txt", at("linked.pem"));
    symlinkSync("secret.txt", at("other.pem"));
    writeFileSync(at(".gitignore"), "secret.txt\nlib\n");
    git("add", "-A");
    git("commit", "-qm", "more");
    git("worktree", "add", "-q", "tree");
    git("-C", "lib", "init", "-q");
    git("-C", "lib", "add", "-A");
    expect(
      await run("cat linked.pem other.pem lib/key.pem tree/.env.test; git -C tree status --short"),
    ).toMatch(/^plain\ncat: other\.pem.*\nnested\nMODE=test\n$/);
    git("update-index", "--index-version", "4");
    expect(await run("git status --short; cat .env.test")).toBe("?? tree/\nMODE=test\n");
    git("update-index", "--split-index");
    writeFileSync(at("credentials.json"), "[]\n");
    git("add", "credentials.json");
    expect(await run("git status --short; cat .env.test credentials.json")).toBe(
      "M  credentials.json\n?? tree/\nMODE=test\n[]\n",
    );
  });

  test("a file that git was told to leave alone, or that a filter changes, stays hidden", async () => {
    git("update-index", "--skip-worktree", ".env.test");
    git("update-index", "--assume-unchanged", "credentials.json");
    for (const name of [".env.test", "credentials.json"]) appendFileSync(at(name), "KEY");
    git("config", "filter.f.clean", "tr a-z A-Z");
    writeFileSync(at(".gitattributes"), "*.key filter=f\n");
    workspace.write({ "x.key": "key\n" });
    git("add", "-A");
    expect(await run("cat .env.test credentials.json x.key")).not.toMatch(/key\n|KEY/);
  });

  test("a repository that the sandbox does not show makes nothing known", async () => {
    const output = await run("cat server.pem", { write: [at("certs")], cwd: at("certs") });
    expect(output).not.toContain("CERTIFICATE");
  });

  test("a tracked folder of secrets is shown without what is not tracked in it", async () => {
    workspace.write({ ".aws/config": "[default]\n", ".aws/more/x": "tracked\n" });
    git("add", "-A");
    git("commit", "-qm", "aws");
    workspace.write({ ".aws/credentials": "KEY=1" });
    const output = await run("git status --short; cat .aws/config .aws/credentials; touch .aws/cli");
    expect(output).toMatch(/^\?\? \.aws\/credentials\n\[default\]\ncat: [^\n]*\ntouch: [^\n]*Read-only/);
  });

  test("a file that is replaced after it was found is compared as it is now", async () => {
    unlinkSync(at("certs/server.pem"));
    workspace.write({ "certs/server.pem": "KEY=other" });
    expect(await run("cat certs/server.pem")).not.toContain("KEY");
    rmSync(at("certs/server.pem"));
    symlinkSync("/etc/hostname", at("certs/server.pem"));
    expect(await run("cat certs/server.pem; git status --short")).toMatch(/cat[\s\S]* T certs\/server\.pem/);
  });
});
