import { join } from "node:path";
import { expect, test } from "vitest";
import { describeInJail, type JailUser } from "../jail/describe-in-jail.ts";
import { runInJail } from "../jail/outer-jail.ts";

interface Report {
  readonly title: string;
  readonly errors: readonly string[];
}

const isCampaign = process.env["TOOLKEEP_RUNS"] !== undefined;

/** Each in a jail of its own, as each user: more at once, and none of them gets anywhere. */
const SCRIPTS = ["git-scenes.ts", "put-back-scenes.ts,mount-scenes.ts,probe-scenes.ts"];

/** Each finding, in the shape it was found in and in three others at least. */
const TOPICS = ["[attack 01]", "[attack 02]", "[attack 03]", "[attack 08]", "[attack 14]", "[attack 16]"];

async function play(as: JailUser): Promise<readonly Report[]> {
  return (await Promise.all(SCRIPTS.map((scripts) => played(scripts, as)))).flat();
}

async function played(scripts: string, as: JailUser): Promise<readonly Report[]> {
  const args = [scripts, ...(as === "user" ? ["control"] : []), ...(isCampaign ? ["campaign"] : [])];
  const script = join(import.meta.dirname, "sandbox-files/play.ts");
  const { stdout, stderr, exitCode } = await runInJail({ script, args, as, timeoutMs: 280_000 });
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Report);
}

describeInJail({ title: "files around a sandbox", play }, (reports) => {
  test("every scene holds, and every control shows what it must", () => {
    expect(reports().filter(({ errors }) => errors.length > 0)).toEqual([]);
  });

  test.each(TOPICS)("%s was played", (topic) => {
    expect(reports().filter(({ title }) => title.includes(topic)).length).toBeGreaterThanOrEqual(3);
  });
});
