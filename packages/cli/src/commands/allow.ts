import type { Command } from "commander";
import { addRules } from "../approvals/rules/add-rules.ts";
import { readProject } from "../project/read-project.ts";
import { ruleLine } from "../project/rule-line.ts";
import { EXIT } from "../terminal/command-error.ts";
import { type Done, optionsOf, projectOption, subcommand, yesOption } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

const DESCRIPTIONS = {
  allow: "add a rule that allows to your policy, after showing what it covers",
  ask: "add a rule that asks to your policy",
  deny: "add a rule that denies to your policy",
} as const;

type Action = keyof typeof DESCRIPTIONS;

/** `toolkeep allow`, `toolkeep ask` and `toolkeep deny`. */
export function add(parent: Command, done: Done): void {
  for (const action of ["allow", "ask", "deny"] as const)
    subcommand({ parent, name: action, description: DESCRIPTIONS[action] })
      .argument(
        "<rule...>",
        "a command ('npm test *'), a permission with a pattern ('fs.write docs/**'), or a whole rule",
      )
      .addOption(projectOption("the project to try the rule in (default: that of the current directory)"))
      .addOption(yesOption())
      .action(async (rule: string[], _options, command: Command) =>
        done(await addRule(action, { ...optionsOf(command), rule: rule.join(" ") })),
      );
}

interface RuleOptions extends CommonOptions {
  readonly rule: string;
  readonly project?: string;
  readonly yes?: boolean;
}

async function addRule(action: Action, options: RuleOptions): Promise<number> {
  const terminal = openTerminal(options);
  const line = ruleLine(options.rule, action);
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
