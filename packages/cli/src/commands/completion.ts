import type { Command } from "commander";
import { choice, commandsOf, type Done, optionsOf, terminalOf } from "../terminal/command-line.ts";

/** `toolkeep completion`. All other commands must be loaded. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("completion", async (command) => {
    const { writeCompletion } = await import("./completion/write-completion.ts");
    const { shell } = optionsOf<{ readonly shell?: string }>(command);
    return writeCompletion({ shell, program }, await terminalOf(command));
  }).addArgument(choice("shell", ["bash", "zsh", "fish"]));
}
