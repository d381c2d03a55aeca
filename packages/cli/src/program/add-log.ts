import type { Command } from "commander";
import { type Done, optionsOf, subcommand } from "./command-line.ts";

export function addLog(parent: Command, done: Done): void {
  subcommand({ parent, name: "log", description: "what was decided lately: who, what, by which rule" })
    .argument("[session]", "may be shortened; all of them where it is left out")
    .option("--last <number>", "so many calls; 20 where it is left out")
    .option("--verify", "check that nothing of it was changed, instead")
    .action(async (session: string | undefined, _options, command: Command) => {
      const { logCommand } = await import("../commands/log.ts");
      done(await logCommand({ ...optionsOf(command), session }));
    });
}
