import type { Command } from "commander";
import { type Done, optionsOf, projectOption, subcommand } from "./command-line.ts";

export function addTrust(program: Command, done: Done): void {
  subcommand({
    parent: program,
    name: "trust",
    description: "look at what a project would have run or obeyed, and trust it",
  })
    .addOption(projectOption())
    .option("-y, --yes", "without asking")
    .action(async (_options, command: Command) => {
      const { trustCommand } = await import("../commands/trust.ts");
      done(await trustCommand(optionsOf(command)));
    });
}
