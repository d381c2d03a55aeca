import type { Command } from "commander";
import { commandsOf, type Done } from "../terminal/command-line.ts";

/** `toolkeep audit`, for the administrator of a machine. */
export function add(program: Command, done: Done): void {
  const parent = commandsOf(program, done)("audit");
  commandsOf(parent, done)(
    "collect",
    async () => (await import("../audit/collect/collect-records.ts")).collectRecords,
  );
  parent.command("read", { hidden: true }).action(async () => {
    const { serveRecords } = await import("../audit/collect/serve-records.ts");
    done(await serveRecords());
  });
}
