import { chownSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type ContainedProject, canContain, containedProject } from "../contained-project.test.kit.ts";
import { USER } from "../place/place.test.kit.ts";

describe.skipIf(!canContain)("a command that moves and replaces", () => {
  let one: ContainedProject;

  beforeAll(() => {
    one = containedProject();
    one.write("README.md", "read me\n");
    one.write("other.txt", "other\n");
    one.write("config/app.json", "{}\n");
    one.write("config/.env", "KEY=value\n");
    one.bare("mkdir data many; touch data/{1..30} many/{1..40}");
    return () => one.remove();
  });

  const has = (path: string) => existsSync(join(one.project, path));

  test.each([
    ["mkdir z; echo x > z/.envrc; mv data README.md z/", ["data", "README.md", "z"]],
    ["mkdir .circleci; mv README.md .circleci/config.yml", ["README.md", ".circleci"]],
    ["mv README.md .envrc", ["README.md", ".envrc"]],
  ])("leaves in its place what is held in its new one: %s", async (line, held) => {
    const { outcome } = await one.run(line);
    expect(outcome.held.map(({ path }) => path).toSorted()).toEqual(held.toSorted());
    expect([has("README.md"), has("data/30")]).toEqual([true, true]);
  });

  test("leaves a folder with hidden content in its place", async () => {
    const hidden = [join(one.project, "config/.env")];
    await one.run("mv config conf", { hidden });
    expect(readFileSync(join(one.project, "config/.env"), "utf8")).toBe("KEY=value\n");
    expect(has("config/app.json")).toBe(true);
  });

  test.skipIf(process.getuid?.() !== 0)(
    "is told that it cannot change what belongs to another group",
    async () => {
      one.write("shared.txt", "shared\n");
      chownSync(join(one.project, "shared.txt"), USER.uid, 4_321);
      const { outcome, exitCode } = await one.run("echo half > half; echo more >> shared.txt");
      expect(exitCode).not.toBe(0);
      expect(outcome.refused).toEqual([
        "a change of a file that belongs to another user or group (EOVERFLOW)",
      ]);
      expect(has("half")).toBe(false);
    },
  );

  test.each(["rm -rf data; echo x > data", "rm -rf data; ln -s many data"])(
    "loses no folder of files that git does not have to a file in its place: %s",
    async (line) => {
      const { outcome } = await one.run(line);
      const why = "one of 30 files that would go and that git does not have";
      expect(outcome.held).toEqual([{ path: "data", why }]);
      expect(has("data/30")).toBe(true);
    },
  );
});
