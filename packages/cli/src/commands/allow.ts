import type { Command } from "commander";
import { addRules } from "../approvals/rules/add-rules.ts";
import { readProject } from "../project/read-project.ts";
import { ruleLine } from "../project/rule-line.ts";
import { EXIT } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

const ACTIONS = ["allow", "ask", "deny"] as const;

type Action = (typeof ACTIONS)[number];

/** `toolkeep allow`, `toolkeep ask` and `toolkeep deny`. */
export function add(program: Command, done: Done): void {
  const below = commandsOf(program, done);
  for (const action of ACTIONS) below(action, (command) => addRule(action, optionsOf(command)));
}

interface RuleOptions extends CommonOptions {
  readonly rule: readonly string[];
  readonly project?: string;
  readonly yes?: boolean;
}

async function addRule(action: Action, options: RuleOptions): Promise<number> {
  const terminal = openTerminal(options);
  const line = ruleLine(options.rule.join(" "), action);
  const project = await readProject({ cwd: terminal.cwd, folder: options.project });
  const added = await addRules({ lines: [line], project, yes: options.yes }, terminal);
  if (added === undefined)
    terminal.show({ file: project.policyFile, rules: [], alsoAllows: [] }, [
      `${project.policyFile} has this rule already.`,
    ]);
  else
    terminal.show(added, [
      `Added to ${added.file}. Hooks use it from now on, a gateway after its next start.`,
    ]);
  return EXIT.ok;
}
