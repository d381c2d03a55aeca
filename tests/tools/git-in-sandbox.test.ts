import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Session, SessionOptions } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { bubblewrapSandbox, openSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { codeTools, standardTools } from "@toolkeep/tools";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const sandbox = await openSandbox({ prefer: [bubblewrapSandbox()], orNone: true });
const isRoot = process.getuid?.() === 0;
const reason = sandbox.isolation === "none" ? ": skipped, bubblewrap does not work here" : "";

const AS = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "safe.directory=*"];
const SECRET = "//registry.example/:_authToken=hunter2\n";

let base: string;
let root: string;
let workspace: Workspace;
let asked: string[];

function git(...args: readonly string[]): string {
  const text = execFileSync("git", [...AS, ...args], { cwd: root, encoding: "utf8" });
  if (isRoot) execFileSync("chown", ["-R", "12345:12345", root]);
  return text;
}

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-git-")));
  chmodSync(base, 0o711);
  root = join(base, "root");
  execFileSync("mkdir", [root]);
  for (const [name, text] of Object.entries({
    ".npmrc": "save-exact=true\n",
    "server.pem": "test\n",
    ".env.test": "MODE=test\n",
    "a.txt": "one\n",
  }))
    writeFileSync(join(root, name), text);
  git("init", "-q");
  git("config", "user.name", "T");
  git("config", "user.email", "t@example.com");
  git("add", "-A");
  git("commit", "-qm", "first");
  workspace = await openWorkspace({ roots: [root], sandbox, sidecars: join(base, "sidecars") });
  asked = [];
});

afterEach(async () => {
  await workspace.close();
  rmSync(base, { recursive: true, force: true });
});

function open(answer: "once" | "no", options: SessionOptions = {}): Promise<Session> {
  return workspace.createSession({
    tools: standardTools(),
    policy: RECOMMENDED_POLICY,
    approver: async ({ effects }) => {
      asked.push(
        effects
          .filter(({ capability }) => capability === "fs.read")
          .map(({ target }) => target)
          .join(" "),
      );
      return answer === "once" ? { verdict: "once" } : { verdict: "reject" };
    },
    ...options,
  });
}

let calls = 0;

async function run(session: Session, command: string): Promise<string> {
  calls += 1;
  return modelText(await session.call({ id: `c${calls}`, name: "bash", arguments: { command } }));
}

describe.skipIf(sandbox.isolation === "none")(`git in the sandbox of a session${reason}`, () => {
  test("tracked files with names of secrets ask nothing and break nothing", async () => {
    await using session = await open("no");
    appendFileSync(join(root, "a.txt"), "two\n");
    expect(await run(session, "git status --short")).toBe(" M a.txt\n");
    expect(await run(session, "git diff --stat")).toContain("1 file changed, 1 insertion(+)");
    expect(await run(session, "git add -A")).not.toContain("fatal");
    expect(await run(session, "git commit -qm second")).not.toContain("fatal");
    expect(await run(session, "git status --short")).not.toMatch(/[MDT?] /);
    expect(asked).toEqual([]);
  });

  test("the tool for git stages and commits in it, and asks nothing", async () => {
    await using session = await open("no", { tools: codeTools() });
    appendFileSync(join(root, "a.txt"), "two\n");
    const git = (args: object) => session.call({ id: `g${calls++}`, name: "git", arguments: { ...args } });
    expect((await git({ action: "status" })).data).toMatchObject({
      files: [{ path: "a.txt", changed: "modified" }],
    });
    expect(await git({ action: "add", paths: ["a.txt"] })).toMatchObject({ ok: true });
    expect(modelText(await git({ action: "commit", message: "by the tool" }))).toContain("1 file changed");
    expect((await git({ action: "log", count: 1 })).data).toMatchObject({
      commits: [{ subject: "by the tool" }],
    });
    expect(asked).toEqual([]);
  });

  test("a modified one is asked about once, by the command that needs it", async () => {
    await using session = await open("once");
    appendFileSync(join(root, ".npmrc"), SECRET);
    expect(await run(session, "git log --oneline")).toContain("first");
    expect(await run(session, "cat a.txt")).toContain("one");
    expect(await run(session, "git diff -- a.txt")).not.toContain("fatal");
    expect(asked).toEqual([]);
    expect(await run(session, "git diff")).toContain("+//registry.example");
    expect(asked).toEqual([join(root, ".npmrc")]);
    expect(await run(session, "git diff --stat")).toContain("1 file changed");
    expect(await run(session, "git add -A && git status --short")).toContain("M  .npmrc");
    expect(asked).toHaveLength(1);
  });

  test("git stash takes a modified one away and brings it back", async () => {
    await using session = await open("once");
    appendFileSync(join(root, "server.pem"), "KEY\n");
    expect(await run(session, "git stash && git status --short && cat a.txt")).toMatch(/^Saved.*\none\n$/);
    expect(await run(session, "git stash pop && git diff --stat")).toContain(
      "1 file changed, 1 insertion(+)",
    );
    expect(asked).toHaveLength(1);
    expect(git("diff")).toContain("+KEY");
  });

  test("a branch with other settings is asked about, and has them after a yes", async () => {
    git("checkout", "-q", "-b", "other");
    writeFileSync(join(root, ".npmrc"), "save-exact=false\n");
    git("commit", "-qam", "other");
    git("checkout", "-q", "-");
    await using no = await open("no");
    await run(no, "git checkout -q other");
    expect(git("branch", "--show-current")).not.toBe("other\n");
    await using session = await open("once");
    expect(await run(session, "git checkout -q other; git status --short; cat .npmrc")).toContain("false");
    expect(asked).toHaveLength(2);
    expect(git("status", "--short")).toBe("");
  });

  test("one that was not allowed stays hidden, also to git", async () => {
    await using session = await open("no");
    appendFileSync(join(root, "server.pem"), "KEY\n");
    expect(await run(session, "git diff")).not.toContain("KEY");
    expect(asked).toEqual([join(root, "server.pem")]);
    expect(await run(session, "cp server.pem b.txt; node -e 'fs.readFileSync(`server.pem`)'")).not.toContain(
      "KEY",
    );
    const left = await run(session, "git diff -- . ':!server.pem'");
    expect(left).not.toContain("fatal");
    expect(left).toContain("hidden in the sandbox because of the name: server.pem. Leave it out");
    expect(await run(session, "cat a.txt")).not.toContain("server.pem");
  });

  test("one without a token in it needs no question", async () => {
    await using session = await open("no");
    appendFileSync(join(root, ".npmrc"), "engine-strict=true\n");
    const diff = await run(session, "git diff");
    expect(diff).toContain("+engine-strict=true");
    expect(diff).not.toContain("hidden");
    expect(await run(session, "git commit -qam settings")).not.toContain("fatal");
    expect(asked).toEqual([]);
    expect(git("status", "--short")).toBe("");
  });

  test("no rule on git opens a file that a command put into the index by name", async () => {
    writeFileSync(join(root, ".env"), "KEY=hunter2\n");
    git("update-index", "--add", "--cacheinfo", `100644,${git("hash-object", "a.txt").trim()},.env`);
    const policy = {
      rules: [{ permission: "shell.run", pattern: "git *", action: "allow" as const }],
      builtIn: { "protected-names": "off" as const },
    };
    await using session = await open("no", { policy });
    expect(await run(session, "git diff")).not.toContain("hunter2");
    expect(asked).toEqual([join(root, ".env")]);
  });

  test("a rule that denies it masks it, tracked or not, and stops no command", async () => {
    const rules = [
      ...(RECOMMENDED_POLICY.rules ?? []),
      { permission: "fs.read", pattern: "**/.npmrc", action: "deny" as const },
      { permission: "fs.read", pattern: "{workspace}/server.pem", action: "deny" as const },
    ];
    await using session = await open("once", { policy: { ...RECOMMENDED_POLICY, rules } });
    expect(await run(session, "git log --oneline; node -e 'fs.readFileSync(`.npmrc`)'")).not.toContain(
      "save",
    );
    const shown = await run(session, "git diff --stat");
    expect(shown).toMatch(/Hidden in the sandbox because of policy: \.npmrc \(rule: .*server\.pem/);
    expect(asked.join(" ")).not.toContain(root);
  });
});
