import type { Command } from "commander";
import {
  type Done,
  optionsOf,
  storeOption,
  subcommand,
  terminalWith,
  yesOption,
} from "../terminal/command-line.ts";
import type { CommonOptions } from "../terminal/terminal.ts";

interface StoredOptions extends CommonOptions {
  readonly store?: string;
}

const CHECKPOINT_HELP = `
A checkpoint says where the record of every session ends. Kept where users of this machine cannot change it, it shows
which sessions were removed, cut, rewritten or renamed since: run \`sessions verify --checkpoint FILE --key PUB\`.

Make a key for it: ssh-keygen -t ed25519 -f audit-key`;

const ERASE_HELP = `
Arguments, results, questions and answers are replaced by their hashes. That they were, when and by whom stays in the
record, and \`sessions verify\` accepts exactly that. Sessions that \`audit.hold\` names are not erased.`;

/** `sessions checkpoint`, `sweep` and `erase`. */
export function addRecords(parent: Command, done: Done): void {
  subcommand({
    parent,
    name: "checkpoint",
    description: "write where every record ends to a file, a server or a git repository",
  })
    .option("--to <place>", "a file, an https URL, or a folder that is a git repository")
    .option("--sign <key>", "sign it with an SSH key: the file of the key, or its .pub with an agent")
    .addOption(storeOption())
    .addHelpText("after", CHECKPOINT_HELP)
    .action(async (_options, command: Command) => {
      const { makeCheckpoint } = await import("../audit/evidence/make-checkpoint.ts");
      const options = optionsOf<StoredOptions & { to?: string; sign?: string }>(command);
      done(await makeCheckpoint(options, await terminalWith(options)));
    });
  subcommand({
    parent,
    name: "sweep",
    description: "remove sessions that are older than `journal.keepDays` of the configuration",
  })
    .addOption(storeOption())
    .action(async (_options, command: Command) => {
      const { sweepSessions } = await import("../audit/remove-records.ts");
      const options = optionsOf<StoredOptions>(command);
      done(await sweepSessions(options, await terminalWith(options)));
    });
  subcommand({
    parent,
    name: "erase",
    description: "erase arguments and results from the record of a session",
  })
    .argument("<id>", "the id of a session, which may be shortened")
    .option("--call <id>", "only those of one call")
    .addOption(yesOption())
    .addOption(storeOption())
    .addHelpText("after", ERASE_HELP)
    .action(async (id: string, _options, command: Command) => {
      const { eraseSession } = await import("../audit/remove-records.ts");
      const options = optionsOf<StoredOptions & { call?: string; yes?: boolean }>(command);
      done(await eraseSession({ ...options, id }, await terminalWith(options)));
    });
}
