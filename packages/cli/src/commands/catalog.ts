import type { Command } from "commander";
import { commandsOf, type Done, optionsOf, terminalOf } from "../terminal/command-line.ts";

/** `toolkeep catalog` with `show` and `check`. */
export function add(program: Command, done: Done): void {
  const parent = commandsOf(program, done)("catalog", async (command) => {
    const { listPrograms } = await import("../catalog/show-program.ts");
    return listPrograms(await terminalOf(command));
  });
  const below = commandsOf(parent, done);
  below("show", async (command) => {
    const { showProgram } = await import("../catalog/show-program.ts");
    const { program: name } = optionsOf<{ readonly program: string }>(command);
    return showProgram(name, await terminalOf(command));
  });
  below("check", async (command) => {
    const { checkEntries } = await import("../catalog/check-entries.ts");
    const { files } = optionsOf<{ readonly files: readonly string[] }>(command);
    return checkEntries(files, await terminalOf(command));
  });
}
