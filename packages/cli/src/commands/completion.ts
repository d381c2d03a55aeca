import type { Command } from "commander";
import { choice, type Done, subcommand, terminalOf } from "../terminal/command-line.ts";
import { COMPLETION_HELP } from "./help-texts.ts";

/** `toolkeep completion`. All other commands must be loaded. */
export function add(program: Command, done: Done): void {
  subcommand({ parent: program, name: "completion" })
    .addArgument(choice("shell", ["bash", "zsh", "fish"]))
    .addHelpText("after", COMPLETION_HELP)
    .action(async (shell: string | undefined, _options, command: Command) => {
      const { writeCompletion } = await import("./completion/write-completion.ts");
      done(writeCompletion({ shell, program }, await terminalOf(command)));
    });
}
