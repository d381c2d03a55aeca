import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canContain, containedProject } from "../contained-project.test.kit.ts";
import { until } from "../place/place.test.kit.ts";
import { COMMANDS, projectState } from "./open-layer.ts";

const COMMAND = `for f in gone.txt renamed.txt dir/moved.txt folder/x; do echo more >> $f; done
mv own.txt now.txt; rm -r old; echo new > new.txt
touch started; until [ -e /tmp/go ]; do sleep 0.05; done; rm started`;
const USER = `rm gone.txt; mv renamed.txt mine.txt; mv dir/moved.txt .; mv folder other
rm -r old; mv fresh old; echo mine > here.txt`;

describe.skipIf(!canContain)("what a user takes away while a command writes to it", () => {
  test("does not come back by itself, and what the command moved comes", async () => {
    const contained = containedProject();
    try {
      const files = ["gone.txt", "renamed.txt", "dir/moved.txt", "folder/x", "own.txt", "old/1", "fresh/2"];
      for (const path of [...files, ...["a", "b", "c", "d", "e"].map((name) => `more/${name}`)])
        contained.write(path, `of ${path}\n`);
      const running = contained.run(COMMAND);
      const { folder } = projectState(contained.folder, contained.project);
      await until(() => existsSync(join(folder, COMMANDS, "1/upper/started")), 20_000);
      contained.bare(USER);
      writeFileSync(join(folder, "tmp/go"), "");
      const { exitCode, complaint, outcome } = await running;
      expect([exitCode, complaint]).toEqual([0, ""]);
      expect(outcome.held.map(({ path }) => path).toSorted()).toEqual([
        "dir/moved.txt",
        "folder",
        "gone.txt",
        "old",
        "renamed.txt",
      ]);
      expect(outcome.kept.toSorted()).toEqual(["new.txt", "now.txt", "own.txt"]);
      expect(readFileSync(join(contained.project, "old/2"), "utf8")).toBe("of fresh/2\n");
      expect(existsSync(join(contained.project, "gone.txt"))).toBe(false);
    } finally {
      await contained.remove();
    }
  });
});
