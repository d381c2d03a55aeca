import { execFileSync } from "node:child_process";
import { mkdtempDisposableSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { quickStart } from "../../scripts/quick-starts/quick-start.ts";
import { runProgram } from "../../scripts/run-program.ts";
import type { CliBench } from "../cli/cli-bench.ts";
import { hookBench } from "../cli/hook-bench.ts";
import { FROM_SOURCE } from "../from-source.ts";
import { ROOT } from "./pages.ts";

test("the policy that the README prints decides a call of Claude Code, once it is enabled", async () => {
  const bench = hookBench();
  try {
    execFileSync("git", ["init", "-q", "."], { cwd: bench.project });
    bench.write("policy.yaml", quickStart(3).yaml);
    const commands = [...quickStart(3).shell.matchAll(/^toolkeep ([^#\n]*?) *(?:#.*)?$/gm)];
    expect(commands.length).toBeGreaterThan(1);
    const before = await answerTo(bench, ".env");
    for (const [, command = ""] of commands) {
      const yes = command.startsWith("policy enable") ? ["--yes"] : [];
      expect(await bench.runHere([...command.split(" "), ...yes])).toMatchObject({ code: 0 });
    }
    expect(before).not.toContain("Keys stay out of the model");
    expect(await answerTo(bench, ".env")).toMatch(/"deny".*Keys stay out of the model/);
    expect(await answerTo(bench, "app/a.ts")).not.toContain('"deny"');
  } finally {
    vi.unstubAllEnvs();
    bench.remove();
  }
});

async function answerTo({ project }: CliBench, path: string): Promise<string> {
  const call = { tool_name: "Read", tool_input: { file_path: join(project, path) } };
  const event = { hook_event_name: "PreToolUse", session_id: "s1", cwd: project };
  const environment = { CLAUDE_PROJECT_DIR: project };
  const text = JSON.stringify({ ...event, ...call });
  return (await runHook({ client: "claude-code", text, environment })).stdout;
}

test("the route that the README prints pays once, whatever a browser sends", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "toolkeep-quick-start-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder.path, "node_modules"));
  writeFileSync(join(folder.path, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder.path, "route.ts"), quickStart(2).code);
  const play = join(ROOT, "scripts/quick-starts/play-chat.ts");
  const end = await runProgram([process.execPath, ...FROM_SOURCE, play], { cwd: folder.path });
  expect(end).toMatchObject({ code: 0, stderr: "" });
});
