import { execFile } from "node:child_process";
import { existsSync, mkdtempDisposableSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const ACPX = join(import.meta.dirname, "../../node_modules/acpx/dist/cli.js");
const AGENT = join(import.meta.dirname, "agent-program.ts");
const CALLS = JSON.stringify([
  { id: "r", name: "read", arguments: { path: "a.txt" } },
  { id: "b", name: "bash", arguments: { command: "echo made > made.txt" } },
]);

/** Has acpx, a client of other people, start our agent and prompt it. */
function prompted(folder: string, ...options: readonly string[]): Promise<string> {
  const agent = `${process.execPath} --conditions=@toolkeep/source ${AGENT}`;
  const args = [ACPX, "--agent", agent, "--cwd", folder, "--timeout", "60", ...options, "exec", CALLS];
  const env = { PATH: process.env["PATH"], HOME: join(folder, "home") };
  // It ends with a code of its own where it denied something.
  return new Promise((resolve) =>
    execFile(process.execPath, args, { env }, (_error, stdout) => resolve(stdout)),
  );
}

test("[C108] acpx shows each call with its kind and how it ended, and its answer decides", async () => {
  using allowed = mkdtempDisposableSync(join(realpathSync(tmpdir()), "acpx-"));
  using denied = mkdtempDisposableSync(join(realpathSync(tmpdir()), "acpx-"));
  for (const { path } of [allowed, denied]) writeFileSync(join(path, "a.txt"), "content of a");
  const [yes, no] = await Promise.all([
    prompted(allowed.path, "--approve-all"),
    prompted(denied.path, "--deny-all"),
  ]);
  expect(yes).toMatch(/\[tool\] Read \(completed\)\n {2}kind: read\n/);
  expect(yes).toMatch(/\[tool\] Run a command \(completed\)\n {2}kind: execute\n/);
  expect(existsSync(join(allowed.path, "made.txt"))).toBe(true);
  expect(no).toMatch(/\[tool\] Run a command \(failed\)\n {2}kind: execute\n/);
  expect(existsSync(join(denied.path, "made.txt"))).toBe(false);
});
