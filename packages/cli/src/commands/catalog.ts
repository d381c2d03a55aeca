import type { Command } from "commander";
import { type Done, subcommand, terminalOf } from "../terminal/command-line.ts";
import { CATALOG_HELP } from "./help-texts.ts";

/** `toolkeep catalog` with `show` and `check`. */
export function add(program: Command, done: Done): void {
  const parent = subcommand({ parent: program, name: "catalog" })
    .addHelpText("after", CATALOG_HELP)
    .action(async (_options, command: Command) => {
      const { listPrograms } = await import("../catalog/show-program.ts");
      done(await listPrograms(await terminalOf(command)));
    });
  subcommand({ parent, name: "show", description: "show what is known of a program" })
    .argument("<program>", "its name, or another name for it")
    .action(async (name: string, _options, command: Command) => {
      const { showProgram } = await import("../catalog/show-program.ts");
      done(await showProgram(name, await terminalOf(command)));
    });
  subcommand({
    parent,
    name: "check",
    description: "check entries, and run their examples; nothing is executed",
  })
    .argument("<files...>", "files with one entry each")
    .action(async (files: string[], _options, command: Command) => {
      const { checkEntries } = await import("../catalog/check-entries.ts");
      done(checkEntries(files, await terminalOf(command)));
    });
}
