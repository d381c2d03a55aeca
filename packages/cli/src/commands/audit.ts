import type { Command } from "commander";
import { commandsOf, type Done, optionsOf, terminalOf } from "../terminal/command-line.ts";

/** `toolkeep audit`, for the administrator of a machine. */
export function add(program: Command, done: Done): void {
  const parent = commandsOf(program, done)("audit");
  commandsOf(parent, done)("collect", async (command) => {
    const { collectRecords } = await import("../audit/collect/collect-records.ts");
    return collectRecords(optionsOf(command), await terminalOf(command));
  });
  parent.command("read", { hidden: true }).action(async () => {
    const { serveRecords } = await import("../audit/collect/serve-records.ts");
    done(await serveRecords());
  });
}
