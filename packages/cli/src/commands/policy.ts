import type { Command } from "commander";
import {
  type Done,
  optionsOf,
  policyOption,
  projectOption,
  storeOption,
  subcommand,
  terminalOf,
  yesOption,
} from "../terminal/command-line.ts";
import { POLICY_HELP } from "./help-texts.ts";

/** `toolkeep policy` with `enable`, `disable`, `check`, `test`, `explain`, `diff`, `suggest` and `import`. */
export function add(program: Command, done: Done): void {
  const parent = subcommand({
    parent: program,
    name: "policy",
    description: "check, test, explain and compare policy files; suggest rules",
  }).addHelpText("after", POLICY_HELP);
  addEnable(parent, done);
  addFiles(parent, done);
  addExplain(parent, done);
  addRecords(parent, done);
}

function addEnable(parent: Command, done: Done): void {
  const commands = [
    subcommand({
      parent,
      name: "enable",
      description: "make a policy file decide in this project, after checking and testing it",
    }).argument("<file>", "a policy file of the project"),
    subcommand({ parent, name: "disable", description: "the policy of this project decides no longer" }),
  ];
  for (const command of commands)
    command
      .option("--user", "the policy of your own, in all projects")
      .addOption(projectOption())
      .addOption(yesOption())
      .action(async () => {
        const { enableFile } = await import("../policy/enable-file.ts");
        const [file] = command.args;
        const options = { ...optionsOf<object>(command), ...(file === undefined ? {} : { file }) };
        done(await enableFile(options, await terminalOf(command)));
      });
}

function addFiles(parent: Command, done: Done): void {
  const files = "policy files (default: those that apply here)";
  subcommand({ parent, name: "check", description: "show errors and likely mistakes, with line and fix" })
    .argument("[files...]", files)
    .option("--strict", "fail on warnings too")
    .action(async (names: string[], _options, command: Command) => {
      const { checkFiles } = await import("../policy/check-files.ts");
      done(await checkFiles({ ...optionsOf(command), files: names }, await terminalOf(command)));
    });
  subcommand({ parent, name: "test", description: "run the tests of policy files; nothing is executed" })
    .argument("[files...]", files)
    .option("--format <format>", "text, junit, tap or json (default: text)")
    .option("--merged", "decide by the policy that the files make together with those that apply here")
    .action(async (names: string[], _options, command: Command) => {
      const { testFiles } = await import("../policy/test-files.ts");
      done(await testFiles({ ...optionsOf(command), files: names }));
    });
  subcommand({ parent, name: "import", description: "show the permissions of another program as rules" })
    .argument("<program>", "claude or gemini")
    .argument("[file]", "its settings (default: your own, not those of a project)")
    .option("--write <file>", "write the rules to a new policy file")
    .action(async (client: string, file: string | undefined, _options, command: Command) => {
      const { importRules } = await import("../policy/import-rules.ts");
      done(await importRules({ ...optionsOf(command), client, file }, await terminalOf(command)));
    });
}

function addExplain(parent: Command, done: Done): void {
  subcommand({ parent, name: "explain", description: "show why a call is allowed, asked or denied" })
    .argument("<call...>", "a command line, or the arguments of --tool as JSON; - reads standard input")
    .option("--tool <name>", "the tool: bash, read, write, …, or mcp:SERVER:TOOL (default: bash)")
    .option("--sandboxed", "as if commands ran in a sandbox that holds files and the network")
    .option("--as <user>", "as if it were made for another user, who is in no group but those of --group")
    .option("--group <names>", "as if the user were in these groups, with commas between them")
    .option("--at <time>", "as if it were made then: 2026-12-24, 2026-12-24T18:30Z (default: now)")
    .addOption(projectOption())
    .addOption(policyOption())
    .action(async (call: string[], _options, command: Command) => {
      const { explain } = await import("../policy/explain.ts");
      done(await explain({ ...optionsOf(command), call }, await terminalOf(command)));
    });
}

function addRecords(parent: Command, done: Done): void {
  subcommand({ parent, name: "diff", description: "show what two policy files say and decide differently" })
    .argument("<before>", "a policy file")
    .argument("<after>", "another one")
    .option("--sessions", "also decide the calls of recorded sessions with both")
    .addOption(storeOption())
    .option("--exit-code", "exit with 1 if a call is decided differently")
    .action(async (before: string, after: string, _options, command: Command) => {
      const { diffFiles } = await import("../policy/diff-files.ts");
      done(await diffFiles({ ...optionsOf(command), before, after }, await terminalOf(command)));
    });
  subcommand({
    parent,
    name: "suggest",
    description: "suggest the narrowest rules from what was approved in recorded sessions",
  })
    .addOption(projectOption())
    .addOption(storeOption())
    .action(async (_options, command: Command) => {
      const { suggestFromRecords } = await import("../policy/suggest-rules.ts");
      done(await suggestFromRecords(optionsOf(command), await terminalOf(command)));
    });
}
