import type { Command } from "commander";
import { commandsOf, type Done } from "../terminal/command-line.ts";

/** `toolkeep call`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("call", async () => (await import("../run/run-call.ts")).runCall);
}
