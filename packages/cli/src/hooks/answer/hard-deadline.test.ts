import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const MODULE = JSON.stringify(join(import.meta.dirname, "hard-deadline.ts"));

const run = (code: string) =>
  spawnSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", code], {
    timeout: 30_000,
    encoding: "utf8",
  });

test("a busy process is killed, and the reason is written", () => {
  const busy = `import { hardDeadline } from ${MODULE};
    hardDeadline(300, "it took too long\\n");
    for (;;) {}`;
  const { signal, stderr } = run(busy);
  expect(signal).toBe("SIGKILL");
  expect(stderr).toContain("it took too long");
});

test("a process that finishes in time exits without waiting", () => {
  const quick = `import { hardDeadline } from ${MODULE};
    { using deadline = hardDeadline(140_000, "late"); }
    process.exitCode = 7;`;
  expect(run(quick)).toMatchObject({ status: 7, stderr: "" });
});
