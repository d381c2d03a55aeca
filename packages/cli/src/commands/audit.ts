import type { Command } from "commander";
import { type Done, optionsOf, subcommand, terminalOf } from "../terminal/command-line.ts";
import { COLLECT_HELP } from "./help-texts.ts";

/** `toolkeep audit`, for the administrator of a machine. */
export function add(program: Command, done: Done): void {
  const parent = subcommand({
    parent: program,
    name: "audit",
    description: "collect the records of all users of this machine, as root",
  });
  subcommand({
    parent,
    name: "collect",
    description: "keep proof of each user's record, and send its events",
  })
    .option("--user <names...>", "only these users (default: everyone who can log in)")
    .option(
      "--to <place>",
      "where checkpoints go: an https URL, or a path with {user} (default: the state folder)",
    )
    .option(
      "--sign <key>",
      "sign the checkpoints with an SSH key: the file of the key, or its .pub with an agent",
    )
    .option("--sink <place>", "where new events go: a file, or an https URL")
    .option("--format <name>", "jsonl, otlp (OpenTelemetry logs) or ocsf (default: jsonl)")
    .option("--state <folder>", "where root keeps what was collected (default: /var/lib/toolkeep-audit)")
    .option("--longest <seconds>", "how long the record of one user may take (default: 120)")
    .addHelpText("after", COLLECT_HELP)
    .action(async (_options, command: Command) => {
      const { collectRecords } = await import("../audit/collect/collect-records.ts");
      done(await collectRecords(optionsOf(command), await terminalOf(command)));
    });
  parent.command("read", { hidden: true }).action(async () => {
    const { serveRecords } = await import("../audit/collect/serve-records.ts");
    done(await serveRecords());
  });
}
