import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";

/** What a client does with one command. */
interface Acted {
  readonly action: string;
  readonly reason: string;
  /** What the command wrote, where it ran. */
  readonly output: string;
  /** The command that the hook names in the place of this one. */
  readonly instead: string | undefined;
}

export interface Where {
  readonly cwd?: string;
  /** Gemini CLI says in the call where it runs. */
  readonly directory?: string;
  readonly conversation?: string;
}

export interface Client {
  readonly project: string;
  /** Asks the hook, and runs the command only if it is allowed. */
  run(line: string, where?: Where): Promise<Acted>;
  /** Asks about a tool of Claude Code's own. */
  tool(name: string, input: Readonly<Record<string, unknown>>, conversation?: string): Promise<string>;
}

/** A client that follows the hook; with `isNaive` one without a hook, which shows what the hook stops. */
export async function hookClient(
  project: string,
  { checkout, isNaive }: { readonly checkout: string; readonly isNaive: boolean },
): Promise<Client> {
  const { runHook } = await import(join(checkout, "packages/cli/src/hooks/answer/run-hook.ts"));

  async function decided(tool: string, input: Readonly<Record<string, unknown>>, where: Where) {
    const { cwd = project, conversation = randomUUID() } = where;
    const isGemini = where.directory !== undefined;
    const text = JSON.stringify({
      hook_event_name: isGemini ? "BeforeTool" : "PreToolUse",
      session_id: conversation,
      tool_name: isGemini ? "run_shell_command" : tool,
      tool_input: isGemini ? { ...input, directory: where.directory } : input,
      cwd,
    });
    const environment = { CLAUDE_PROJECT_DIR: project, GEMINI_PROJECT_DIR: project };
    const { stdout, stderr } = await runHook({
      client: isGemini ? "gemini-cli" : "claude-code",
      text,
      environment,
    });
    if (stdout === "") return { action: "blocked", reason: String(stderr) };
    const answer = JSON.parse(stdout);
    const said = answer.hookSpecificOutput ?? answer;
    return {
      // Where the hook decides nothing, the client may go on.
      action: String(said.permissionDecision ?? said.decision ?? "allow"),
      reason: String(said.permissionDecisionReason ?? said.reason ?? ""),
    };
  }

  return {
    project,
    async run(line, where = {}) {
      const { action, reason } = isNaive
        ? { action: "allow", reason: "" }
        : await decided("Bash", { command: line }, where);
      const cwd = where.directory === undefined ? (where.cwd ?? project) : join(project, where.directory);
      const output = action === "allow" ? shell(line, cwd) : "";
      return { action, reason, output, instead: / needs no approval: (.+)$/s.exec(reason)?.[1] };
    },
    tool: async (name, input, conversation) =>
      (await decided(name, input, conversation === undefined ? {} : { conversation })).action,
  };
}

/** Runs a line as a client would: without any sandbox. */
export function shell(line: string, cwd: string): string {
  const { stdout, stderr } = spawnSync("/bin/bash", ["-c", line], {
    cwd,
    encoding: "utf8",
    timeout: 120_000,
  });
  return `${stdout}${stderr}`;
}
