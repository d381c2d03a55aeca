import type { Command } from "commander";
import { type Done, optionsOf, storeOption, subcommand, terminalOf } from "../terminal/command-line.ts";
import { LOG_HELP, SHIP_HELP } from "./help-texts.ts";

/** `toolkeep log`. */
export function add(parent: Command, done: Done): void {
  const log = subcommand({ parent, name: "log" })
    .argument("[session]", "the id of a session, which may be shortened (default: all sessions)")
    .option("-f, --follow", "continue, and show calls as they are decided and finished, until Ctrl-C")
    .option("--since <time>", "only calls of the last 12h, 7d or 2w, or from a date on")
    .option("--tool <names>", "only calls of these tools; * stands for any text", listed)
    .option("--decision <words>", "only allowed, asked, denied, refused, waiting or delegated calls", listed)
    .option("--shadow", "only calls that the rules on trial (`shadow`) would have decided differently")
    .option("--last <number>", "the number of calls to show (default: 20, or all with --since)")
    .addOption(storeOption())
    .option("--verify", "check the hash chain of the audit log instead, as `sessions verify` does")
    .addHelpText("after", LOG_HELP)
    .action(async (session: string | undefined, _options, command: Command) => {
      const { showLog } = await import("../audit/show/show-log.ts");
      done(await showLog({ ...optionsOf(command), session }, await terminalOf(command)));
    });
  addShip(log, done);
}

function addShip(parent: Command, done: Done): void {
  subcommand({ parent, name: "ship", description: "send new events to a file or a server" })
    .option("--to <place>", "a file, or an https URL")
    .option("--format <name>", "jsonl, otlp (OpenTelemetry logs) or ocsf (default: jsonl)")
    .addHelpText("after", SHIP_HELP)
    .action(async (_options, command: Command) => {
      const { shipEvents } = await import("../audit/ship/ship-events.ts");
      done(await shipEvents(optionsOf(command), await terminalOf(command)));
    });
}

/** Collects the values of an option that may be repeated, or separated with commas. */
function listed(value: string, before: readonly string[] = []): readonly string[] {
  const values = value.split(",").map((one) => one.trim());
  return [...before, ...values.filter((one) => one !== "")];
}
