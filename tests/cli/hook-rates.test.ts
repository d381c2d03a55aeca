import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { decideCall } from "../../packages/cli/src/hooks/decide/decide-call.ts";
import { HOOKS } from "../../packages/cli/src/hooks/read/hooks-of-clients.ts";
import { readProject } from "../../packages/cli/src/project/read-project.ts";
import type { CliBench } from "./cli-bench.ts";
import { hookBench, ownTool, writePolicy } from "./hook-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  writePolicy(
    bench,
    `version: 1
extends: [toolkeep:recommended]
rules:
  - deny shell.run "git status *" when "rate('1h') >= 2" because "twice an hour"
  - deny bash when "args.command.contains('--porcelain')"
`,
  );
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

/** All in one conversation, each in a session of its own. */
async function run(command: string): Promise<string | undefined> {
  const payload = ownTool("claude-code", bench, { tool: "Bash", input: { command } });
  const environment = { CLAUDE_PROJECT_DIR: bench.project };
  const call = HOOKS["claude-code"].read({ ...payload, session_id: "one" }, environment);
  if (call === undefined) return undefined;
  const project = await readProject({ cwd: call.folder });
  const { action, decided } = await decideCall(call, { client: "claude-code", project });
  return decided ?? action;
}

test("each hook opens the conversation again, and counts the calls that earlier ones decided", async () => {
  expect([await run("git status"), await run("git log --oneline"), await run("git status -s")]).toEqual([
    "allow",
    "allow",
    "allow",
  ]);
  expect([await run("git status"), await run("git log --oneline")]).toEqual(["deny", "allow"]);
});

test("arguments of a client's own tool are those of the tool that it stands for", async () => {
  expect([await run("git log --porcelain"), await run("git log")]).toEqual(["deny", "allow"]);
});
