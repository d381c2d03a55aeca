import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { gitSettings } from "../../git/git-config.ts";
import { type SandboxedWorkspace, sandboxedWorkspace } from "../testing/sandboxed-workspace.test.kit.ts";
import { recordErrors } from "./git-records.ts";
import { scan } from "./scan.ts";

let workspace: SandboxedWorkspace;

beforeEach(() => {
  workspace = sandboxedWorkspace();
});

/** What is found in the folder of a repository with these files in it. */
async function foundIn(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const entries = Object.entries(files).map(([name, text]) => [`.git/${name}`, text]);
  workspace.write({ ".git/HEAD": "ref: refs/heads/main\n", ...Object.fromEntries(entries) });
  const finds = await scan([workspace.path]);
  return finds
    .filter(({ kind }) => kind !== "repository")
    .map(({ path, kind }) => `${path.slice(workspace.path.length + 6)}: ${kind}`)
    .toSorted();
}

const OID = "0123456789abcdef0123456789abcdef01234567";

test("what git writes down of unfinished work is nothing to be found", async () => {
  expect(
    await foundIn({
      "rebase-merge/git-rebase-todo": `pick ${OID} exec the plan\nlabel onto\nbreak\nmerge -C ${OID} x # exec\n`,
      "rebase-merge/done": "exec npm test\n",
      "rebase-merge/message": "x\n$(y)\n",
      "rebase-merge/author-script":
        "GIT_AUTHOR_NAME='O'\\''Neil'\nGIT_AUTHOR_EMAIL='a@a'\nGIT_AUTHOR_DATE='@1 +0000'\n",
      "rebase-merge/head-name": "refs/heads/feature/$x\n",
      "rebase-merge/strategy": "recursive\n",
      "rebase-merge/strategy_opts": " --patience --subtree=a/b\n",
      "rebase-merge/gpg_sign_opt": "-SA1B2C3\n",
      "rebase-merge/update-refs": `refs/heads/x\n${OID}\n${OID}\n`,
      "rebase-merge/current-fixups": `fixup ${OID}\n`,
      "rebase-merge/rewritten-list": `${OID} ${OID}\n`,
      "rebase-merge/no-reschedule-failed-exec": "",
      "rebase-apply/apply-opt": " '--whitespace=fix' '-C2'\n",
      "rebase-apply/0001": "From x\nexec x\n",
      "rebase-apply/next": "1\n",
      "rebase-apply/keep": "f\n",
      "sequencer/opts":
        "[options]\n\tsignoff = true\n\tmainline = 1\n\tstrategy = ort\n\tstrategy-option = theirs\n",
      "sequencer/todo": `revert ${OID} x\n`,
      BISECT_START: "feature/x\n",
      BISECT_NAMES: " '--' 'f' 'it'\\''s'\n",
      BISECT_TERMS: "slow\nfast\n",
      BISECT_LOG: "git bisect start '--x'\n",
      MERGE_RR: `${OID}\tsrc/f\0`,
      MERGE_MSG: "exec x\n",
    }),
  ).toEqual([]);
});

test.each([
  ["rebase-merge/strategy", "x/../notes.txt\n"],
  ["rebase-merge/strategy", "ort\nx/../notes.txt\n"],
  ["rebase-apply/strategy", "x\n"],
  ["rebase-merge/strategy_opts", " --ok=$(x)\n"],
  ["rebase-merge/gpg_sign_opt", "-S/home/key\n"],
  ["rebase-merge/gpg_sign_opt", "--exec=x\n"],
  ["rebase-merge/msgnum", "$(x)\n"],
  ["rebase-merge/end", "1\n$(x)\n"],
  ["rebase-apply/last", "`x`\n"],
  ["rebase-merge/head-name", "--exec x\n"],
  ["rebase-merge/author-script", "GIT_AUTHOR_NAME='a'; x\n"],
  ["rebase-merge/autostash", "--index\n"],
  ["rebase-merge/a-file-of-a-later-git", "x/../notes.txt\n"],
  ["rebase-apply/apply-opt", " '--unsafe-paths'\n"],
  ["sequencer/opts", "[options]\n\tstrategy = x\n"],
  ["sequencer/opts", "[options]strategy=x\n"],
  ["sequencer/opts", '[options]\n\tgpg-sign = "x" \\\n\n\tstrategy = y\n'],
  ["sequencer/todo", "exec x\n"],
  ["rebase-merge/git-rebase-todo", "pick x\n\t x\ttouch y\n"],
  ["rebase-merge/git-rebase-todo.backup", "exec x\n"],
  ["BISECT_START", "--pathspec-from-file=/etc/passwd\n"],
  ["BISECT_NAMES", " '--output=/home/x'\n"],
  ["MERGE_RR", `${OID}\t/etc/passwd\0`],
  ["MERGE_RR", `${OID}\ta\0${OID}.1\ta/../../b\0`],
  ["MERGE_AUTOSTASH", "--index\n"],
  ["index", "no index\n"],
  ["sharedindex.x", "no index\n"],
  ["worktrees/one/rebase-merge/strategy", "x\n"],
  ["modules/one/sequencer/opts", "x\n"],
])("%s with %j is found", async (name, text) => {
  expect(await foundIn({ [name]: text })).toContain(`${name}: order`);
});

test("a file next to the repository does not decide how its index is read", async () => {
  const head = Buffer.from("DIRC\0\0\0\x02\0\0\0\0", "latin1").toString("latin1");
  const index = `${head}${"\0".repeat(32)}`;
  workspace.write({ config: "[extensions]\n\tobjectformat = sha256\n" });
  expect(await foundIn({ index, config: "" })).toEqual(["config: protected", "index: order"]);
  expect(await foundIn({ index, config: "[extensions]\n\tobjectFormat = SHA256\n" })).toEqual([
    "config: protected",
  ]);
});

test("where git fetches from and pushes to decides, and so does every link", async () => {
  workspace.write({ ".git/logs/x": "", ".git/refs/heads/x": "" });
  for (const name of ["logs/HEAD", "refs/heads/y", "COMMIT_EDITMSG", "rebase-merge"])
    symlinkSync("/nowhere", join(workspace.path, ".git", name));
  expect(await foundIn({ "remotes/origin": "URL: x\n", "branches/origin": "x\n" })).toEqual([
    "COMMIT_EDITMSG: protected",
    "branches/origin: protected",
    "logs/HEAD: protected",
    "rebase-merge: protected",
    "refs/heads/y: protected",
    "remotes/origin: protected",
  ]);
});

test("a link is found in any folder of a repository", async () => {
  const names = ["rr-cache/x/preimage", "lost-found/other/x", "a-folder-of-a-later-git/x/y", "rr-cache/y"];
  for (const name of names) {
    mkdirSync(join(workspace.path, ".git", dirname(name)), { recursive: true });
    symlinkSync("/nowhere", join(workspace.path, ".git", name));
  }
  const finds = await foundIn({ "rr-cache/x/postimage": "x", "lfs/objects/ab/cd/x": "" });
  expect(finds).toEqual(names.toSorted().map((name) => `${name}: protected`));
});

test("in a bare repository links are found where git writes, and folders of the user are ignored", async () => {
  workspace.write({ "b/HEAD": "", "b/objects/x": "", "b/refs/x": "", "b/src/x": "", "b/rr-cache/x/y": "" });
  symlinkSync("/nowhere", join(workspace.path, "b/rr-cache/x/preimage"));
  symlinkSync("/nowhere", join(workspace.path, "b/src/link"));
  const finds = await scan([workspace.path]);
  expect(finds.map(({ path }) => path.slice(workspace.path.length + 1)).toSorted()).toEqual([
    "b/HEAD",
    "b/rr-cache/x/preimage",
  ]);
});

test("a command that was in the list before is identified by its bytes", async () => {
  const todo = (line: string) => foundOrders({ ".git/rebase-merge/git-rebase-todo": line });
  expect(await todo("exec true\n")).toEqual(["order exec true"]);
  expect(await todo("exec true\r; x\nexec true\u2028; y\n")).toEqual([
    "order exec true\r; x",
    `order ${Buffer.from("exec true\u2028; y").toString("latin1")}`,
  ]);
});

test("very many are one find, identified by all their text; repeated ones are one find", async () => {
  const todo = (lines: readonly string[]) =>
    foundOrders({ ".git/rebase-merge/git-rebase-todo": lines.join("\n") });
  const many = Array.from({ length: 101 }, (_value, index) => `exec ${index}`);
  expect(await todo(many.map(() => "exec true"))).toEqual(["order exec true"]);
  const [first, ...others] = await todo(many);
  expect([first, others]).toEqual([expect.stringMatching(/^order too many: [0-9a-f]{64}$/), []]);
  expect(await todo([...many, "exec another"])).not.toEqual([first]);
});

async function foundOrders(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  workspace.write(files);
  const finds = await scan([workspace.path]);
  return finds.filter(({ kind }) => kind === "order").map(({ identity }) => identity);
}

test.each([
  ["strategy_opts", "--a".repeat(60)],
  ["strategy_opts", " --a".repeat(50_000)],
  ["strategy_opts", "'--a".repeat(50_000)],
  ["onto", `${OID}\n`.repeat(30)],
  ["onto", OID.repeat(40)],
  ["onto", `${OID} `.repeat(5_000)],
  ["a-file-of-a-later-git", "a".repeat(1_600)],
  ["a-file-of-a-later-git", "a-".repeat(100_000)],
  ["author-script", `GIT_AUTHOR_NAME='${"'\\''".repeat(60_000)}`],
  ["apply-opt", " '-C1'".repeat(40_000)],
  ["opts", "[options]\n".repeat(20_000)],
  ["update-refs", "a\n".repeat(100_000)],
  ["MERGE_RR", `${OID}\t${"a/".repeat(100_000)}`],
])("%s of any length is read in no time", (name, text) => {
  const start = process.threadCpuUsage().user;
  expect(recordErrors(`/nowhere/.git/rebase-merge/${name}`, Buffer.from(`${text}!`))).toHaveLength(1);
  expect((process.threadCpuUsage().user - start) / 1_000).toBeLessThan(3_000);
});

test("what has another shape than git gives it is identified by a hash and not by all of its bytes", () => {
  const [error] = recordErrors("/nowhere/.git/rebase-merge/onto", Buffer.from("x".repeat(200_000)));
  expect(error).toMatch(/^[0-9a-f]{64}$/);
});

test("a long mail and a long message are nothing to be found, and a long record is", async () => {
  const long = "x\n".repeat(2 ** 18);
  const files = { "rebase-apply/0001": long, "rebase-merge/message": long, "rebase-merge/onto": long };
  expect(await foundIn(files)).toEqual(["rebase-merge/onto: order"]);
});

test.each([
  ["[core]\n\thooksPath = a/b # own", "core.hookspath", "a/b"],
  ['[core] hookspath="a b;c"', "core.hookspath", "a b;c"],
  ['[includeIf "gitdir:~/x]"]\r\n path=../y', "includeif.path", "../y"],
  ["[CORE]\nHooksPath=a\\\n/b", "core.hookspath", "a/b"],
  ['[include]\npath = "a\\\\b\\"c"', "include.path", 'a\\b"c'],
  ["[core.sub]\nhookspath=x", "core.hookspath", "x"],
])("%j contains %s", (text, name, value) => {
  expect(gitSettings(text)).toEqual([{ name, value }]);
});

test("what is not a setting is ignored", () => {
  expect(gitSettings("# [core]\n; hookspath=x\n[core]\nbare\n[broken\n=x\n")).toEqual([]);
});
