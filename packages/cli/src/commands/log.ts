import type { Command } from "commander";
import { commandsOf, type Done } from "../terminal/command-line.ts";

/** `toolkeep log` with `ship`. */
export function add(program: Command, done: Done): void {
  const log = commandsOf(program, done)(
    "log",
    async () => (await import("../audit/show/show-log.ts")).showLog,
  );
  for (const option of log.options)
    if (["--tool", "--decision"].includes(option.long ?? "")) option.argParser(listed);
  commandsOf(log, done)("ship", async () => (await import("../audit/ship/ship-events.ts")).shipEvents);
}

/** Collects the values of an option that may be repeated, or separated with commas. */
function listed(value: string, before: readonly string[] = []): readonly string[] {
  const values = value.split(",").map((one) => one.trim());
  return [...before, ...values.filter((one) => one !== "")];
}
