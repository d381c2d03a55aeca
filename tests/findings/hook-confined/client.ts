import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { InstallRecords } from "../../../packages/cli/src/clients/installed/install-record.ts";
import { runHook } from "../../../packages/cli/src/hooks/answer/run-hook.ts";
import type { Client, Where } from "../hook-decisions/client.ts";

interface Answer {
  readonly action: string;
  readonly reason: string;
  /** What the client runs in the place of the command. */
  readonly command?: string;
}

/** A client that does what the hook answers, in a project where its commands are confined. */
export async function confinedClient(
  project: string,
  program: readonly [string, ...string[]],
): Promise<Client> {
  await new InstallRecords(project).write({
    ...{ version: 1, project, client: "claude-code", own: program, single: false, state: "done" },
    ...{ files: [], folders: [], servers: [], confines: true },
  });

  async function asked(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    where: Where,
  ): Promise<Answer> {
    const { cwd = project, conversation = randomUUID() } = where;
    const { stdout, stderr } = await runHook({
      client: "claude-code",
      environment: { CLAUDE_PROJECT_DIR: project },
      text: JSON.stringify({
        ...{ hook_event_name: "PreToolUse", session_id: conversation, cwd, permission_mode: "default" },
        ...{ tool_name: tool, tool_input: input },
      }),
    });
    if (stdout === "") return { action: "blocked", reason: stderr };
    const said = JSON.parse(stdout).hookSpecificOutput ?? {};
    const command = said.updatedInput?.command;
    return {
      action: String(said.permissionDecision ?? "none"),
      reason: String(said.permissionDecisionReason ?? ""),
      ...(typeof command === "string" ? { command } : {}),
    };
  }

  return {
    project,
    async run(line, where = {}) {
      const at = where.directory === undefined ? where : { ...where, cwd: join(project, where.directory) };
      const { action, reason, command } = await asked("Bash", { command: line }, at);
      // Only what is confined is run, in every mode: the others are for the hook's own tests.
      const output = command === undefined ? "" : shell(command, at.cwd ?? project);
      return { action: command === undefined ? action : "confined", reason, output, instead: undefined };
    },
    tool: async (name, input, conversation) =>
      (await asked(name, input, conversation === undefined ? {} : { conversation })).action,
  };
}

function shell(line: string, cwd: string): string {
  const { stdout, stderr } = spawnSync("/bin/bash", ["-c", line], {
    cwd,
    encoding: "utf8",
    timeout: 120_000,
  });
  return `${stdout}${stderr}`;
}
