import type { Command } from "commander";
import { commandsOf, type Done, optionsOf, terminalOf } from "../terminal/command-line.ts";

/** `toolkeep call`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("call", async (command) => {
    const { runCall } = await import("../run/run-call.ts");
    return runCall(optionsOf(command), await terminalOf(command));
  });
}
