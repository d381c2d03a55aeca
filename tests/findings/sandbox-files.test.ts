import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runInJail, whyNoJail } from "../jail/outer-jail.ts";

interface Report {
  readonly title: string;
  readonly faults: readonly string[];
}

const SCRIPTS = ["git-scenes.ts", "put-back-scenes.ts", "mount-scenes.ts", "probe-scenes.ts"];

/** Each finding, in the shape it was found in and in three others at least. */
const TOPICS = ["[attack 01]", "[attack 02]", "[attack 03]", "[attack 08]", "[attack 14]", "[attack 16]"];

async function played(script: string, as: "root" | "user"): Promise<readonly Report[]> {
  const args = as === "user" ? ["control"] : [];
  const path = join(import.meta.dirname, "sandbox-files", script);
  const { stdout, stderr, exitCode } = await runInJail({ script: path, args, as, timeoutMs: 170_000 });
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Report);
}

for (const as of ["root", "user"] as const) {
  const reason = whyNoJail(as);
  // Most of a scene is waiting, so all of them are played at once.
  const playing = reason === undefined ? Promise.all(SCRIPTS.map((script) => played(script, as))) : undefined;
  playing?.catch(() => {});
  describe.skipIf(reason !== undefined)(
    `as ${as}${reason === undefined ? "" : `: skipped, ${reason}`}`,
    () => {
      let reports: readonly Report[] = [];

      beforeAll(async () => {
        reports = (await playing)?.flat() ?? [];
      }, 180_000);

      test("every scene holds, and every control shows what it must", () => {
        expect(reports.filter(({ faults }) => faults.length > 0)).toEqual([]);
      });

      test.each(TOPICS)("%s was played", (topic) => {
        expect(reports.filter(({ title }) => title.includes(topic)).length).toBeGreaterThanOrEqual(3);
      });
    },
  );
}
