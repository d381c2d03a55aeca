import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContainedProject, canContain, containedProject } from "../contained-project.test.kit.ts";

const HIDDEN = ["node_modules/pack/.env", "conf/.env", "conf/deep/key.pem"];
const STATS = "find conf node_modules -type d -exec stat -c '%n %a %u %Y' {} + | sort";

describe.skipIf(!canContain)("a hidden file of the project", () => {
  let contained: ContainedProject;
  const run = (line: string) =>
    contained.run(line, { hidden: HIDDEN.map((path) => `${contained.project}/${path}`) });

  beforeAll(() => {
    contained = containedProject();
    for (const path of HIDDEN) contained.write(path, `KEY=of ${path}\n`);
    for (const path of ["node_modules/pack/index.js", "conf/a.txt"]) contained.write(path, "a\n");
    contained.bare("chmod 751 conf; touch -d 2020-01-02 conf/deep conf");
  });
  afterAll(() => contained.remove());

  test("is empty and closed, and the folders around it are as they were", async () => {
    const before = contained.bare(STATS);
    const { output, outcome } = await run(`cat ${HIDDEN.join(" ")}; echo K=1 >> conf/.env; ${STATS}`);
    expect(output).toMatch(/^.*conf\/\.env: Permission denied\n/);
    expect(output.endsWith(before), output).toBe(true);
    expect([outcome.kept, outcome.held]).toEqual([[], []]);
  });

  test("goes with a folder that is made again from the rest", async () => {
    const { exitCode, outcome } = await run("cp -r node_modules/pack kept; rm -rf node_modules");
    expect(exitCode).toBe(0);
    expect(outcome.kept.toSorted()).toEqual(["kept", "node_modules"]);
    expect(contained.bare("ls; cat kept/.env")).toBe("conf\nkept\n");
  });

  test("is not lost with another folder, or by a file in its place", async () => {
    const { exitCode, outcome } = await run("rm -rf conf");
    expect([exitCode, outcome.kept, outcome.held]).toEqual([
      0,
      [],
      [{ path: "conf", why: expect.stringContaining("hidden") }],
    ]);
    const again = await run("rm -rf conf; mkdir conf; echo mine > conf/.env; echo mine > conf/a.txt");
    expect(again.outcome.held.map(({ path }) => path).toSorted()).toEqual(["conf/.env", "conf/deep"]);
    const moved = await run("mv conf/deep/key.pem conf/deep/other.pem; git init -q; touch conf/.env");
    expect(moved.outcome.held).toContainEqual({ path: "conf/deep/key.pem", why: expect.any(String) });
    expect(contained.bare("cat conf/.env conf/a.txt conf/deep/key.pem")).toBe(
      "KEY=of conf/.env\nmine\nKEY=of conf/deep/key.pem\n",
    );
  });
});
