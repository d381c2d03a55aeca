import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { hasPlaces } from "../packages/node/src/sandbox/contain/place/place.test.kit.ts";
import { whyNotContained } from "./cli/contained-bench.ts";
import { containedProject } from "./lost/contained-project.ts";
import { editAgainAndAgain } from "./lost/edit-rounds.ts";
import { fillAtEachStep } from "./lost/full-disk.ts";
import { killAgainAndAgain, killsWithoutJournal } from "./lost/kill-campaign.ts";

const isLong = process.env["TOOLKEEP_LONG"] !== undefined;
const SEED = 36;
/** Calls of the kernel are traced by the numbers of this processor. */
const canTrace = process.platform === "linux" && process.arch === "x64";

describe.skipIf(!canTrace || spawnSync("perl", ["-v"]).status !== 0)(
  "a process that changes a project",
  () => {
    test("is killed, and the next one leaves the project wholly as it was, or wholly as it becomes", async () => {
      const figures = await killAgainAndAgain({ kills: isLong ? 1_000 : 8, seed: SEED });
      expect(figures.errors).toEqual([]);
    });

    test("leaves projects half-done if the journal is not on the disk first", async () => {
      expect(await killsWithoutJournal(SEED, 3)).toBeGreaterThan(0);
    });

    test("finds the disk full, and leaves the project as it was", async () => {
      const { steps, failed, errors } = await fillAtEachStep(SEED, isLong ? 1 : 29);
      expect(errors).toEqual([]);
      expect([failed > 0, failed < steps]).toEqual([true, true]);
    });
  },
);

const TRANSACTION = `
import sqlite3, sys
db = sqlite3.connect("app.db", isolation_level=None)
db.execute("begin immediate")
db.execute("insert into t values ('user')")
print("open", flush=True)
sys.stdin.readline()
db.execute("commit")
db.close()
`;
const ROWS = "select group_concat(x, ' ') from (select x from t order by x)";
const sqlite = (script: string) => `python3 -c '
import sqlite3
db = sqlite3.connect("app.db", isolation_level=None)
${script}
db.close()'`;

describe.skipIf(!hasPlaces || whyNotContained() !== undefined)(
  "a user who works in a contained project",
  () => {
    test("loses no edit to two commands on the same files", async () => {
      const { edits, kept, lost } = await editAgainAndAgain({ rounds: isLong ? 200 : 4, seed: SEED });
      expect(lost).toEqual([]);
      expect([edits > 0, kept > 0]).toEqual([true, true]);
    });

    test.each(["delete", "wal"])(
      "loses no row of an open transaction in a database with journal mode %s",
      async (mode) => {
        await using project = containedProject({});
        const made = `db.execute("pragma journal_mode=${mode}"); db.execute("create table t (x)")`;
        await project.user("/bin/sh", "-c", sqlite(made)).end();
        const user = project.user("/usr/bin/python3", "-c", TRANSACTION);
        await user.said();
        const insert = `db.execute("insert into t values (\\"command\\")")`;
        const { exitCode, kept, held } = await project.run(sqlite(insert));
        user.tell("");
        expect(await user.end()).toBe(0);
        const look = project.user(
          "/bin/sh",
          "-c",
          sqlite(`print(db.execute("""${ROWS.replaceAll("'", '"')}""").fetchone()[0])`),
        );
        await look.end();
        expect({
          rows: look.lines,
          exitCode,
          kept: kept.filter((path) => path.startsWith("app.db")),
        }).toEqual({
          rows: ["user"],
          exitCode: 0,
          kept: [],
        });
        expect(held.map(({ path }) => path)).toContain("app.db");
      },
    );

    test("commits with git while a command does, and both commits are there or one is held", async () => {
      await using project = containedProject({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
      const git = (line: string) => project.user("/bin/sh", "-ec", line);
      await git("git init -q -b main .; git add -A; git commit -q -m start").end();
      const commit = (name: string) =>
        `echo ${name} >> ${name}.txt; git add ${name}.txt; git commit -q -m ${name}`;
      const own = git(`sleep 0.3; ${commit("c")}`);
      const runs = await Promise.all([project.run(commit("a")), project.run(commit("b"))]);
      expect(await own.end()).toBe(0);
      const looked = git("git fsck --strict 2>/dev/null; git log --format=%s; git status --porcelain");
      expect(await looked.end()).toBe(0);
      expect(looked.lines).toContain("c");
      for (const [at, { exitCode, held }] of runs.entries())
        expect([exitCode, looked.lines.includes("ab"[at] ?? "") || held.length > 0]).toEqual([0, true]);
    });
  },
);
