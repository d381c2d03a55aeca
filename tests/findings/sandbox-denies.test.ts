import { join } from "node:path";
import { expect, test } from "vitest";
import { describeInJail, type JailUser } from "../jail/describe-in-jail.ts";
import { runInJail } from "../jail/outer-jail.ts";

type Seen = Readonly<Record<string, unknown>>;

async function play(as: JailUser): Promise<Seen> {
  const script = join(import.meta.dirname, "sandbox-denies/scenes.ts");
  const { stdout, stderr } = await runInJail({ script, as, timeoutMs: 280_000 });
  expect(stderr).toBe("");
  const seen: Seen = JSON.parse(stdout);
  expect(Object.entries(seen).filter(([name]) => name.startsWith("failed"))).toEqual([]);
  return seen;
}

describeInJail({ title: "denies on paths in the sandbox", play }, (seen) => {
  /** None of the scenes shows what is in a file that may not be read. */
  function expectHidden(...scenes: readonly string[]): void {
    for (const scene of scenes) expect(seen()[scene], scene).not.toContain("CANARY");
  }

  test("[attack 11] a recursive search, a pattern and a script of the project do not read what is denied", () => {
    expectHidden("grep -r", "cat by pattern", "npm test");
    expect(seen()["locked after npm test"]).toBe("as it was\n");
    expect(seen()["cat README"]).toContain("hello");
  });

  test("[attack 11] control: without the denies in the sandbox, the same reads and writes succeed", () => {
    expect(seen()["control read"]).toContain("CANARY");
    expect(seen()["control write"]).toBe("PWNED\n");
  });

  test("[attack 11] reading: through links, by copying, by moving the folder around it, by a link made within", () => {
    expectHidden("read by script", "hard link made within", "bash_start");
    expect(seen()["read by script"]).toContain("open\n");
    expect(seen()["moved"]).toEqual([false, false]);
    expect(seen()["bash_start"]).toContain("Hidden in the sandbox because of policy: private");
  });

  test("[attack 11] not held: another name for the same file, made before", () => {
    expect(seen()["hard link made before"]).toContain("CANARY");
  });

  test("[attack 11] writing: by redirect, sed, mv, rm, through a link, into a folder, by moving it away", () => {
    expect(seen()["locked"]).toEqual(["as it was\n", false, "as it was\n"]);
  });

  test("[attack 11] what may be written and not deleted can be changed and not removed", () => {
    expect(seen()["data"]).toEqual(["1\n", "3\n", "n\n"]);
  });

  test("[attack 11] a whole tree that may not be deleted is read-only", () => {
    expect(seen()["tree"]).toBe("1\n");
  });

  test("[attack 11] what is made later under a denied name is taken away, closed folders included", () => {
    for (const scene of ["made later", "hidden while closed", "link replaced", "made next to a longer allow"])
      expect(seen()[scene], scene).toMatch(/^REFUSED out_of_scope: .*\(denied by policy; now /);
    expect(seen()["left of later"]).toEqual([false, false]);
    expect(seen()["left of closed"]).toBe(false);
    expect(seen()["quiet afterwards"]).toContain("fine");
  });

  test("[attack 11] a denied file that the user replaces meanwhile is the user's", () => {
    expect(seen()["replaced by the user"]).toEqual([expect.stringContaining("hello"), "the user's own\n"]);
  });

  test("[attack 11] a longer allow of another scope stays open in the middle of what is denied", () => {
    expectHidden("longer allow");
    expect(seen()["longer allow"]).toContain("open\n");
    expect(seen()["left next to a longer allow"]).toEqual([true, false]);
  });

  test("[attack 11] it holds in every root, and for subagents what their parents deny as well", () => {
    expectHidden("two roots", "child");
    expect(seen()["locked of child"]).toBe("as it was\n");
  });

  test("[attack 11] it holds in a root that lies within what is denied", () => {
    expectHidden("roots within");
    expect(seen()["roots within"]).toContain("as it was");
    expect(seen()["files of roots within"]).toEqual(["CANARY\n", "as it was\n", false]);
  });

  test("[attack 11] a folder that a command closed is held whole for the next one", () => {
    expectHidden("closed folders");
    expect(String(seen()["closed folders"]).split("as it was")).toHaveLength(5);
    expect(seen()["closed folders"]).not.toMatch(/^PWNED/m);
  });

  test("[attack 11] where there is too much to mask, no command runs, and the words say what to write", () => {
    expectHidden("too many");
    expect(seen()["too many"]).toMatch(/^REFUSED unavailable: .*`deny fs.read .*ends with \/\*\*/);
  });

  test("[attack 11] a tracked file that was masked is named; what was committed stays in git's own record", () => {
    expect(seen()["git status"]).toMatch(
      / D private\/plan.txt\n\[Hidden in the sandbox .*: private .*git may show/,
    );
    expect(seen()["git show"]).toContain("CANARY");
  });

  test("[attack 11] under the recommended rules everyday commands do what they did", () => {
    expect(seen()["everyday"]).toEqual([
      "hello\n",
      expect.stringContaining("tested\n"),
      "?? out.txt\n",
      "(no output)",
      "(no output)",
    ]);
  });
});
