import type { Command } from "commander";
import { commandsOf, type Done, optionsOf, terminalOf } from "../terminal/command-line.ts";

/** `toolkeep log` with `ship`. */
export function add(program: Command, done: Done): void {
  const log = commandsOf(program, done)("log", async (command) => {
    const { showLog } = await import("../audit/show/show-log.ts");
    return showLog(optionsOf(command), await terminalOf(command));
  });
  for (const option of log.options)
    if (["--tool", "--decision"].includes(option.long ?? "")) option.argParser(listed);
  commandsOf(log, done)("ship", async (command) => {
    const { shipEvents } = await import("../audit/ship/ship-events.ts");
    return shipEvents(optionsOf(command), await terminalOf(command));
  });
}

/** Collects the values of an option that may be repeated, or separated with commas. */
function listed(value: string, before: readonly string[] = []): readonly string[] {
  const values = value.split(",").map((one) => one.trim());
  return [...before, ...values.filter((one) => one !== "")];
}
