import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canContain, containedProject, PAUSE } from "../contained-project.test.kit.ts";

const COMMAND = `for f in gone.txt renamed.txt dir/moved.txt folder/x; do echo more >> $f; done
mv own.txt now.txt; rm -r old; echo new > new.txt; ${PAUSE}`;
const USER = `rm gone.txt; mv renamed.txt mine.txt; mv dir/moved.txt .; mv folder other
rm -r old; mv fresh old; echo mine > here.txt`;

test.skipIf(!canContain)(
  "what a user takes away while a command writes to it does not come back by itself, and what the command moved comes",
  async () => {
    const contained = containedProject();
    try {
      const files = ["gone.txt", "renamed.txt", "dir/moved.txt", "folder/x", "own.txt", "old/1", "fresh/2"];
      for (const path of [...files, ...["a", "b", "c", "d", "e"].map((name) => `more/${name}`)])
        contained.write(path, `of ${path}\n`);
      const { exitCode, complaint, outcome } = await contained.during(COMMAND, () => contained.bare(USER));
      expect([exitCode, complaint]).toEqual([0, ""]);
      const held = ["dir/moved.txt", "folder", "gone.txt", "old", "renamed.txt"];
      expect(outcome.held.map(({ path }) => path).toSorted()).toEqual(held);
      expect(outcome.kept.toSorted()).toEqual(["new.txt", "now.txt", "own.txt"]);
      expect(readFileSync(join(contained.project, "old/2"), "utf8")).toBe("of fresh/2\n");
      expect(existsSync(join(contained.project, "gone.txt"))).toBe(false);
    } finally {
      await contained.remove();
    }
  },
);
