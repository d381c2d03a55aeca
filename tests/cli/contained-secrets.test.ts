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

describe.skipIf(reason !== undefined)(`a hidden file of the project${reason ?? ""}`, () => {
  let bench: ContainedBench;

  beforeAll(async () => {
    bench = containedBench();
    bench.write("look.py", LOOK);
    bench.write(".env", "KEY=value\n");
    expect(await bench.toolkeep("init", "claude-code", "--contain", "--yes")).toMatchObject({ code: 0 });
  });
  afterAll(() => bench.remove());

  test("is for a contained command the regular file that is listed, which it cannot open", async () => {
    const { ran } = await bench.bash("python3 look.py; ./missing");
    expect(ran?.stderr).toContain("./missing");
    expect(ran?.stdout).toBe("True True\nPermissionError\n");
  });
});
