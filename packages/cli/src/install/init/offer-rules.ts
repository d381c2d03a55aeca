import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { visible } from "@toolkeep/core/internal";
import { type AddedRules, addRules } from "../../approvals/rules/add-rules.ts";
import { readProject } from "../../project/read-project.ts";
import type { RuleChoice } from "../../scan/rule-choice.ts";
import { runScan } from "../../scan/run-scan.ts";
import { CommandError, EXIT } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Whether a client keeps a history where `toolkeep scan` looks for one. */
export function hasHistories(environment: NodeJS.ProcessEnv = process.env): boolean {
  const home = homedir();
  return [
    join(environment["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), "projects"),
    join(environment["CODEX_HOME"] ?? join(home, ".codex"), "sessions"),
    join(home, ".gemini", "tmp"),
    join(environment["XDG_DATA_HOME"] ?? join(home, ".local", "share"), "opencode"),
  ].some((folder) => existsSync(folder));
}

/** The rules that `toolkeep scan` finds in the histories of this machine. Reads only. */
export async function rulesOfScan(cwd: string): Promise<readonly RuleChoice[]> {
  const { rules } = await runScan({ cwd, policyFile: undefined, since: 0, onProgress: () => {} });
  return rules;
}

export interface OfferedRules {
  readonly choices: readonly RuleChoice[];
  readonly project: string;
  /** Whether `--yes` was given. Then no rule is added that also covers a dangerous example. */
  readonly yes: boolean | undefined;
}

/**
 * Adds rules to the user's policy as `toolkeep allow` does: each is shown with what else it covers, and confirmed.
 * A rule that is refused is left out with a note: a model has written what the histories say.
 */
export async function addOffered(
  { choices, project, yes }: OfferedRules,
  terminal: Terminal,
): Promise<readonly AddedRules[]> {
  const added: AddedRules[] = [];
  for (const { rules, removes } of choices) {
    terminal.note(`It would have removed ${removes} ${removes === 1 ? "question" : "questions"}:`);
    try {
      // Read again: the rules before are part of the policy by now.
      const read = await readProject({ cwd: project, folder: project });
      const lines = rules.map(({ line }) => line);
      const one = await addRules({ lines, project: read, yes, isNarrowOnly: yes === true }, terminal);
      if (one !== undefined) added.push(one);
    } catch (error) {
      if (!(error instanceof CommandError) || error.exit !== EXIT.denied) throw error;
      const commands = rules.map(({ command }) => `\`${visible(command)}\``).join(" and ");
      terminal.note(`${visible(error.message)} To add it later, run ${commands}.`);
    }
  }
  return added;
}
