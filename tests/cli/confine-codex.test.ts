import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { clientShell, hasRun, hasSandbox } from "./confined-bench.ts";
import { initGit } from "./git-project.ts";
import { hookBench, writeHome, writePolicy } from "./hook-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

let bench: CliBench;

beforeAll(async () => {
  if (!hasSandbox) return;
  bench = hookBench();
  initGit(bench);
  bench.write("package.json", JSON.stringify({ name: "p", scripts: { test: "sh test.sh" } }));
  const { code, stderr } = await bench.run(["init", "codex", "--yes", "--confine", "--no-trust"]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("danger-full-access")]);
  return bench.remove;
});

const recorded = (name: string) => payloadsOf("codex", bench)[name] as Payload;

/** The line of the client's record of the conversation, as version 0.166.0 wrote it on 16 November 2026. */
function writeTurn(sandbox: string, turn: unknown = recorded("shell")["turn_id"]): void {
  const file = String(recorded("shell")["transcript_path"]);
  mkdirSync(dirname(file), { recursive: true });
  const context = { turn_id: turn, approval_policy: "never", sandbox_policy: { type: sandbox } };
  const lines = [
    { type: "session_meta", payload: {} },
    { type: "turn_context", payload: context },
  ];
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}

/** The client starts its hooks in the directory of its project. */
async function hook(payload: Payload) {
  const cwd = vi.spyOn(process, "cwd").mockReturnValue(bench.project);
  try {
    return await runHook({ client: "codex", text: JSON.stringify(payload), environment: {} });
  } finally {
    cwd.mockRestore();
  }
}

async function answered(command: string, conversation: string = crypto.randomUUID()) {
  const payload = { ...withInput(recorded("shell"), { command }), session_id: conversation };
  const said = JSON.parse((await hook(payload)).stdout).hookSpecificOutput ?? {};
  return { action: String(said.permissionDecision ?? "none"), line: said.updatedInput?.command as string };
}

describe.skipIf(!hasSandbox)("a command of Codex", () => {
  test("runs in our sandbox where the client has none for the turn", async () => {
    writeTurn("danger-full-access");
    const outside = join(bench.base, "outside");
    bench.write("test.sh", `echo made > made.txt; echo x > ${outside}; echo out; exit 7\n`);
    const conversation = crypto.randomUUID();
    const { action, line } = await answered("npm test --silent", conversation);
    expect(action).toBe("allow");
    expect(line).toMatch(/ exec --ticket [0-9a-f]{32} -- 'npm test --silent'$/);
    expect(await clientShell(line, bench)).toMatchObject({ code: 7, stdout: "out\n" });
    expect(readFileSync(join(bench.project, "made.txt"), "utf8")).toBe("made\n");
    expect(() => readFileSync(outside)).toThrow();
    // The client reports the replaced command as run. The sandbox has reported how it ended.
    const after = { ...withInput(recorded("afterShell"), { command: line }), session_id: conversation };
    expect((await hook(after)).stdout).toBe("{}\n");
    const { stdout } = await bench.run(["log", "--json", "--last", "1"]);
    expect(stdout).toContain('"outcome": "failed"');
  });

  test("stays as it is where the client has a sandbox of its own, or none is known", async () => {
    for (const sandbox of ["workspace-write", "read-only", ""]) {
      writeTurn(sandbox);
      expect((await answered("ls")).action).toBe("none");
    }
    writeTurn("danger-full-access", "another turn");
    expect((await answered("ls")).action).toBe("none");
    expect((await answered("bash -i")).action).toBe("deny");
  });

  test("stays as it is where rules of the client forbid or ask", async () => {
    writeTurn("danger-full-access");
    expect((await answered("ls")).action).toBe("allow");
    writeHome(bench, ".codex/rules/default.rules", 'prefix_rule(pattern=["ls"], decision="forbidden")\n');
    expect((await answered("ls")).action).toBe("none");
    writeHome(bench, ".codex/rules/default.rules", 'prefix_rule(pattern=["ls"], decision="allow")\n');
    expect((await answered("ls")).action).toBe("allow");
  });

  test("that waits for typed commands is confined where the policy allows that, and denied otherwise", async () => {
    writeTurn("danger-full-access");
    expect((await answered("bash -i")).action).toBe("deny");
    const rules = '  - allow shell.run "*"\n  - allow shell.dynamic\n';
    writePolicy(bench, `version: 1\nextends: [toolkeep:recommended]\nrules:\n${rules}`);
    const { line } = await answered("bash -i");
    expect(line).toContain(" exec --ticket ");
    await clientShell(line, bench, { stdin: `echo x > ${join(bench.base, "RAN")}\n` });
    expect(hasRun({ ...bench, project: bench.base })).toBe(false);
    writeTurn("workspace-write");
    expect((await answered("bash -i")).action).toBe("deny");
  });
});
