import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContainedBench, containedBench, whyNotContained } from "./contained-bench.ts";

const reason = whyNotContained();

const LOOK = `import os, stat
listed = next(one for one in os.scandir(".") if one.name == ".env")
print(listed.is_file(), stat.S_ISREG(os.stat(".env").st_mode))
try:
    print(open(".env").read())
except OSError as error:
    print(type(error).__name__)
`;

const PLANT = `import subprocess
open(".envrc", "w").write("1")
subprocess.run(["git", "add", ".envrc"])
`;

/** The name is put together, so that nothing tells before that it is renamed. */
const RENAMES = `import os, sys
getattr(os, "re" + "name")(sys.argv[1] + "/many", "other")
`;

describe.skipIf(reason !== undefined)(`a contained command of a client${reason ?? ""}`, () => {
  let bench: ContainedBench;

  beforeAll(async () => {
    bench = containedBench();
    bench.write("look.py", LOOK);
    bench.write(".env", "KEY=value\n");
    bench.write("plant.py", PLANT);
    bench.write("tool.py", RENAMES);
    await bench.shell("mkdir -p src/many; seq 5001 | (cd src/many && xargs touch)");
    expect(await bench.toolkeep("init", "claude-code", "--contain", "--yes")).toMatchObject({ code: 0 });
  });
  afterAll(() => bench.remove());

  test("is kept with what it writes to a file, if its commands only read", async () => {
    const { ran } = await bench.bash("pgrep -x nothing-of-it; echo yes > made.txt && cat made.txt");
    expect(ran).toMatchObject({ code: 0, stdout: "yes\n", stderr: "" });
    expect(readFileSync(join(bench.project, "made.txt"), "utf8")).toBe("yes\n");
  });

  test.each([
    [`python3 -c "open('half', 'w'); import os; os.rename('src', 'lib')"`, false],
    ["./missing; touch half; python3 tool.py ./src", true],
  ])(
    "names a folder that a layer cannot rename, leaves nothing half done, and asks the next time: %s",
    async (line, toFile) => {
      const said = await bench.bash(line, { toFile });
      expect(said).toMatchObject({ action: "allow", ran: { code: 1 } });
      expect(said.ran?.stderr).toMatch(
        /Blocked: (?:perhaps )?a rename of .* \(EXDEV\)\. Applied: no change\./,
      );
      expect(await bench.shell("ls -d half lib other src 2>/dev/null")).toMatchObject({ stdout: "src\n" });
      expect(await bench.bash(line)).toMatchObject({ action: "ask" });
    },
  );

  test("finds a hidden file as the regular file that is listed, with nothing in it", async () => {
    const { ran } = await bench.bash("python3 look.py; ./missing");
    expect(ran?.stderr).toContain("./missing");
    expect(ran?.stdout).toBe("True True\n\n");
  });

  test("leaves a line to be found among the arguments of its own shell alone, and no refused host to be asked again", async () => {
    const { ran } = await bench.bash("pgrep -fc surely-nowhere-else; printenv PIP_RETRIES; ./missing");
    expect(ran?.stdout).toBe("1\n0\n");
  });

  test("is not to be run again for what is only held", async () => {
    const line =
      "mkdir -p .github/workflows; echo x >> CHANGELOG; echo y > .github/workflows/ci.yml; ./missing; true";
    const { ran } = await bench.bash(line);
    expect(ran?.stderr).toContain(" Applied: 1 change. The user can run `toolkeep keep ");
    expect(ran?.stderr).not.toContain("run the same command again");
    expect((await bench.bash(line)).action).toBe("allow");
  });

  test("is asked about with its failure, and not as one of which nothing was kept", async () => {
    await bench.shell(
      "git init -q; git -c user.name=T -c user.email=t@example.com commit -q --allow-empty -m one",
    );
    const { ran } = await bench.bash("python3 plant.py; ./missing; true");
    expect(ran?.stderr).toContain("of its changes are in the project.");
    const { action, reason: asked } = await bench.bash("python3 plant.py; ./missing; true");
    expect([action, asked]).toEqual(["ask", expect.stringContaining("ended with a failure: ")]);
    expect(asked).not.toContain("nothing of it was kept");
  });
});
