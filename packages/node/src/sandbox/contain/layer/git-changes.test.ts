import { beforeAll, describe, expect, test } from "vitest";
import { type ContainedProject, canContain, containedProject } from "../contained-project.test.kit.ts";

describe.skipIf(!canContain)("a contained command in a repository", () => {
  let one: ContainedProject;

  beforeAll(() => {
    one = containedProject();
    one.write("a.txt", "a\n");
    one.bare(
      "git init -qb main; git add -A; git commit -qm one; git branch old; git branch far/old; echo b >> a.txt; git stash -q; git tag t",
    );
    return () => one.remove();
  });

  const held = async (line: string) => (await one.run(line)).outcome.held;

  test.each([
    "git branch -qd old far/old; git tag -d t",
    "git stash pop -q; git commit -qam two; git reset -q HEAD~1; git stash -q; git stash drop -q",
    "git checkout -qb side; echo c > c.txt; git add c.txt; git commit -qm c; git rebase -q main; git checkout -q main; git merge -q --no-ff --no-edit side",
    "git bisect start HEAD HEAD~1; git bisect reset",
    "git pack-refs --all; git gc -q; git repack -adq",
  ])("may take away what git takes away: %s", async (line) => {
    expect(await held(line)).toEqual([]);
    one.bare("git fsck --strict; git status");
  });

  test.each([
    ["rm .git/HEAD", ".git/HEAD"],
    ["rm .git/index", ".git/index"],
    ["rm -r .git/refs", ".git/refs"],
    ["rm -rf .git/objects", ".git/objects"],
    ["rm -rf .git/objects/pack/*.pack", /\.pack$/],
    ["for one in .git/objects/pack/*.idx; do chmod u+w $one; : > $one; done", /\.idx$/],
    ["rm -rf .git/objects/??", /objects\/..$/],
    [
      "rm -rf .git/objects/??; mkdir -p .git/objects/pack; echo x > .git/objects/pack/pack-0.pack",
      /objects\/..$/,
    ],
  ])("may not take away what git has recorded: %s", async (line, path) => {
    one.bare("git commit -q --allow-empty -m loose");
    expect(await held(line)).toContainEqual({ path: expect.stringMatching(path), why: LOST });
    one.bare("git fsck --strict; git status");
  });

  test.each([".git/HEAD", ".git/index", ".git/refs/heads/main", ".git/packed-refs"])(
    "may not empty %s",
    async (path) => {
      expect(await held(`: > ${path}`)).toContainEqual({ path, why: "is not as git would write it" });
      one.bare("git fsck --strict; git status");
    },
  );

  test("may not remove a repository in a folder", async () => {
    one.bare("git init -q vendor/x; git -C vendor/x commit -q --allow-empty -m own");
    const why = "it has a repository of its own";
    expect(await held("rm -rf vendor/x")).toEqual([{ path: "vendor/x", why }]);
    expect(await held("rm -rf vendor; echo x > vendor")).toEqual([{ path: "vendor", why }]);
  });
});

const LOST = "takes away what git has recorded";
