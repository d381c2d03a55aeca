import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Session, SessionOptions } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { bubblewrapSandbox, openSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const sandbox = await openSandbox({ prefer: [bubblewrapSandbox()], orNone: true });
const isRoot = process.getuid?.() === 0;
const reason = sandbox.isolation === "none" ? ": skipped, bubblewrap does not work here" : "";

const AS = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "safe.directory=*"];
/** As in a project that its user trusts. */
const SWITCHING = { permission: "shell.run", pattern: "git switch ?*", action: "allow" as const };
const WORKFLOW = ".github/workflows/ci.yml";

let base: string;
let root: string;
let workspace: Workspace;
let asked: string[];

function git(...args: readonly string[]): string {
  const text = execFileSync("git", [...AS, ...args], { cwd: root, encoding: "utf8" });
  giveAway();
  return text;
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  giveAway();
}

/** To the user of root's commands. What is theirs already stays untouched: git takes a changed time for a change. */
function giveAway(): void {
  if (isRoot) execFileSync("chown", ["-R", "--from=0:0", "12345:12345", root]);
}

function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** A branch in which some files differ from those of `main`, where HEAD is again afterwards. */
function branch(name: string, files: Readonly<Record<string, string>>): void {
  git("checkout", "-q", "-b", name);
  for (const [path, text] of Object.entries(files)) put(path, text);
  git("add", "-A");
  git("commit", "-qm", name);
  git("checkout", "-q", "main");
}

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-git-protected-")));
  chmodSync(base, 0o711);
  root = join(base, "root");
  mkdirSync(root);
  put(WORKFLOW, "on: push\n");
  put("a.txt", "one\n");
  git("init", "-q", "-b", "main");
  git("config", "user.name", "T");
  git("config", "user.email", "t@example.com");
  git("add", "-A");
  git("commit", "-qm", "first");
  const quarantined = bubblewrapSandbox({ protection: { quarantine: join(base, "quarantine") } });
  workspace = await openWorkspace({
    roots: [root],
    sandbox: await openSandbox({ prefer: [quarantined], orNone: true }),
    sidecars: join(base, "sidecars"),
  });
  asked = [];
});

afterEach(async () => {
  await workspace.close();
  rmSync(base, { recursive: true, force: true });
});

const POLICY = { ...RECOMMENDED_POLICY, rules: [...(RECOMMENDED_POLICY.rules ?? []), SWITCHING] };

function open(
  verdict: "once" | "reject",
  policy: NonNullable<SessionOptions["policy"]> = POLICY,
): Promise<Session> {
  return workspace.createSession({
    tools: standardTools(),
    policy,
    approver: async ({ effects }) => {
      const changed = effects.filter(({ capability }) => /^fs\.(?:write|delete)$/.test(capability));
      asked.push(changed.map(({ target }) => target.replace(`${root}/`, "")).join(" "));
      return { verdict };
    },
  });
}

let calls = 0;

async function run(session: Session, command: string) {
  calls += 1;
  const result = await session.call({ id: `p${calls}`, name: "bash", arguments: { command } });
  return { ok: result.ok, text: modelText(result) };
}

describe.skipIf(sandbox.isolation === "none")(`git and files that decide what is run${reason}`, () => {
  test("a switch that changes one asks before HEAD moves, and names it", async () => {
    branch("ci2", { [WORKFLOW]: "on: pull_request\n" });
    await using no = await open("reject");
    expect((await run(no, "git switch ci2")).ok).toBe(false);
    expect(asked).toEqual([WORKFLOW]);
    expect(git("branch", "--show-current")).toBe("main\n");
    await using session = await open("once");
    expect(await run(session, "git switch ci2")).toMatchObject({ ok: true });
    expect(textOf(WORKFLOW)).toBe("on: pull_request\n");
    expect(git("status", "--short")).toBe("");
    expect(asked).toEqual([WORKFLOW, WORKFLOW]);
  });

  const PLANT = `b=$(echo "on: schedule" | git hash-object -w --stdin); export GIT_INDEX_FILE=/tmp/ix; git read-tree HEAD; git update-index --cacheinfo 100644,$b,${WORKFLOW}; c=$(git commit-tree -p HEAD -m x $(git write-tree)); git update-ref refs/heads/a $c`;

  test("a commit with one is named among many names that a command moves, and among many that were there", async () => {
    await using session = await open("once");
    const harmless =
      "h=$(git commit-tree -p HEAD -m h HEAD^{tree}); for i in $(seq 30); do git update-ref refs/heads/b$i $h; done";
    expect(await run(session, harmless)).toMatchObject({ ok: true });
    const among = await run(session, `${harmless.replace("-m h", "-m i")}; ${PLANT}`);
    expect(among).toMatchObject({ ok: false, text: expect.stringContaining(`${WORKFLOW} in refs/heads/a`) });
    git("update-ref", "-d", "refs/heads/a");
    const oid = (at: number) => at.toString(16).padStart(40, "1");
    const lines = Array.from({ length: 4_000 }, (_, at) => `${oid(at)} refs/remotes/origin/n${at}\n`);
    put(".git/packed-refs", lines.join(""));
    const known = await run(session, PLANT.replace("-m x", "-m y"));
    expect(known).toMatchObject({ ok: false, text: expect.stringContaining(`${WORKFLOW} in refs/heads/a`) });
  });

  test("a switch that changes none asks nothing", async () => {
    branch("other", { "a.txt": "two\n" });
    await using session = await open("reject");
    expect(await run(session, "git switch other && cat a.txt")).toMatchObject({ ok: true });
    expect(asked).toEqual([]);
  });

  test.each([
    "git checkout ci",
    "git merge ci",
    "git rebase ci",
    "git reset --hard ci",
    "git cherry-pick ci",
  ])("%s makes new ones after one yes, and the way back removes them", async (command) => {
    branch("ci", { ".vscode/tasks.json": "{}\n", ".github/workflows/new.yml": "on: push\n" });
    git("branch", "back");
    await using session = await open("once");
    const { ok, text } = await run(session, command);
    expect([ok, text]).toEqual([true, text]);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.split(" ").toSorted()).toEqual([".github/workflows/new.yml", ".vscode/tasks.json"]);
    expect(textOf(".vscode/tasks.json")).toBe("{}\n");
    expect(git("status", "--short")).toBe("");
    expect(await run(session, "git checkout -q back")).toMatchObject({ ok: true });
    expect(asked).toHaveLength(2);
    expect(git("status", "--short")).toBe("");
    expect(existsSync(join(root, ".vscode/tasks.json"))).toBe(false);
  });

  test("git reset --hard names those that it writes anew, because their times changed", async () => {
    branch("other", { "a.txt": "two\n" });
    utimesSync(join(root, WORKFLOW), new Date(0), new Date(0));
    await using session = await open("once");
    expect(await run(session, "git reset --hard other")).toMatchObject({
      text: expect.stringMatching(/^HEAD is now/),
    });
    expect(asked).toEqual([WORKFLOW]);
    expect(git("status", "--short")).toBe("");
  });

  test("a stash of one is taken away and brought back, each after a yes", async () => {
    put(WORKFLOW, "on: release\n");
    await using session = await open("once");
    expect(await run(session, "git stash")).toMatchObject({ ok: true });
    expect(textOf(WORKFLOW)).toBe("on: push\n");
    expect(await run(session, "git stash pop")).toMatchObject({ ok: true });
    expect(textOf(WORKFLOW)).toBe("on: release\n");
    expect(await run(session, "git checkout -- .")).toMatchObject({ ok: true });
    expect(git("status", "--short")).toBe("");
    expect(asked).toEqual([WORKFLOW, WORKFLOW, WORKFLOW]);
  });

  test("two steps of a line are looked at one after the other", async () => {
    branch("other", { "a.txt": "two\n" });
    branch("ci", { [WORKFLOW]: "on: pull_request\n" });
    await using session = await open("once");
    expect(await run(session, "git switch -q other && git merge -q -m m ci")).toMatchObject({ ok: true });
    expect(asked).toEqual([WORKFLOW]);
    expect(git("status", "--short")).toBe("");
  });

  test("what was not known before fails, names the file and the command, and is in order after that", async () => {
    branch("ci2", { [WORKFLOW]: "on: pull_request\n", ".vscode/tasks.json": "{}\n" });
    put("go.sh", "git switch -q ci2\n");
    await using session = await open("once");
    const { ok, text } = await run(session, "sh go.sh");
    expect(ok).toBe(false);
    expect(text).toContain(WORKFLOW);
    expect(text).toContain("git checkout -- .github/workflows/ci.yml .vscode/tasks.json");
    asked = [];
    const back = "git checkout -- .github/workflows/ci.yml .vscode/tasks.json";
    expect(await run(session, back)).toMatchObject({ ok: true });
    expect(asked).toHaveLength(1);
    expect(git("status", "--short")).toBe("?? go.sh\n");
  });

  test("an untracked file with secrets is not opened for a branch that has one of that name", async () => {
    branch("env", { ".env": "KEY=public\n" });
    put(".env", "KEY=hunter2\n");
    await using session = await open("once");
    const { text } = await run(session, "git switch env; cat a.txt; node -e 'fs.readFileSync(`.env`)'");
    expect(text).not.toContain("hunter2");
    expect(asked.join(" ")).not.toContain(".env");
    expect(textOf(".env")).toBe("KEY=hunter2\n");
  });

  test.each([
    "git config user.name X",
    "git config core.editor vim",
    "git remote add o https://example.com/o.git",
  ])("%s is refused with the reason before anybody is asked", async (command) => {
    await using session = await open("once");
    const { ok, text } = await run(session, command);
    expect(ok).toBe(false);
    expect(text).toContain("only the user, in a terminal, its settings: they name programs that git runs");
    expect(asked).toEqual([]);
    expect(await run(session, "git config --get user.email")).toMatchObject({ text: "t@example.com\n" });
  });

  test("a rule that lets git settings be changed opens them, for a command that was allowed", async () => {
    const policy = { rules: [{ permission: "shell.run", pattern: "git *", action: "allow" as const }] };
    await using session = await open("once", policy);
    expect((await run(session, "git config user.name X")).text).not.toContain("could not write");
    expect(asked).toEqual([".git/config"]);
    expect(textOf(".git/config")).toContain("name = X");
  });

  test("git branch -d deletes, and its error about settings is explained", async () => {
    git("branch", "gone");
    await using session = await open("once");
    const { ok, text } = await run(session, "git branch -d gone");
    expect(ok).toBe(true);
    expect(text).toMatch(/could not write config file[\s\S]*The branch itself is deleted/);
    expect(git("branch")).toBe("* main\n");
  });

  test("rm -rf of folders that hold some names them, and works after a yes", async () => {
    put(".vscode/tasks.json", "{}\n");
    await using session = await open("once");
    expect(await run(session, "rm -rf .github .vscode && ls -A")).toMatchObject({ text: ".git\na.txt\n" });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(".github/workflows");
  });

  test("a listing that shows a hidden file says so", async () => {
    put(".env", "KEY=hunter2\n");
    await using session = await open("once");
    expect((await run(session, "ls -la")).text).toMatch(/Hidden in the sandbox because of the name: \.env\./);
    expect((await run(session, "cat a.txt")).text).toBe("one\n");
  });
});
