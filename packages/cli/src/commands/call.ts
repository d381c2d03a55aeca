import type { Command } from "commander";
import {
  type Done,
  optionsOf,
  policyOption,
  projectOption,
  subcommand,
  terminalOf,
} from "../terminal/command-line.ts";
import { CALL_HELP } from "./help-texts.ts";

/** `toolkeep call`. */
export function add(parent: Command, done: Done): void {
  subcommand({ parent, name: "call" })
    .argument("<tool>", "read, write, edit, glob, grep, bash, web_fetch, …")
    .argument("[input]", "its arguments as JSON, or its main argument; - reads standard input")
    .option("--dry-run", "show what it would do and the decision; run and record nothing")
    .addOption(projectOption())
    .addOption(policyOption())
    .addHelpText("after", CALL_HELP)
    .action(async (tool: string, input: string | undefined, _options, command: Command) => {
      const { runCall } = await import("../run/run-call.ts");
      done(await runCall({ ...optionsOf(command), tool, input }, await terminalOf(command)));
    });
}
