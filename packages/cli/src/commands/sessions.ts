import type { Command } from "commander";
import {
  type Done,
  optionsOf,
  policyOption,
  projectOption,
  storeOption,
  subcommand,
  terminalOf,
  yesOption,
} from "../terminal/command-line.ts";
import { CHECKPOINT_HELP, ERASE_HELP, SESSIONS_HELP } from "./help-texts.ts";

const ID = "the id of a session, which may be shortened";

/** `toolkeep sessions` with its commands. */
export function add(program: Command, done: Done): void {
  const parent = subcommand({ parent: program, name: "sessions" }).addHelpText("after", SESSIONS_HELP);
  addList(parent, done);
  addOne(parent, done);
  addReplay(parent, done);
  addVerify(parent, done);
  addRecords(parent, done);
}

function addList(parent: Command, done: Done): void {
  subcommand({
    parent,
    name: "list",
    description: "list the latest sessions: client, begin, calls, questions and denials",
  })
    .option("--since <time>", "only sessions that were active in the last 12h, 7d or 2w, or from a date on")
    .option("--last <number>", "the number of sessions to list (default: 20, or all with --since)")
    .addOption(storeOption())
    .action(async (_options, command: Command) => {
      const { listSessions } = await import("../audit/show/list-sessions.ts");
      done(await listSessions(optionsOf(command), await terminalOf(command)));
    });
}

function addOne(parent: Command, done: Done): void {
  subcommand({ parent, name: "show", description: "show the calls of a session, what decided, and why" })
    .argument("<id>", ID)
    .addOption(storeOption())
    .action(async (id: string, _options, command: Command) => {
      const { showSession } = await import("../audit/show/show-session.ts");
      done(await showSession({ ...optionsOf(command), id }, await terminalOf(command)));
    });
  addExport(parent, done);
}

function addExport(parent: Command, done: Done): void {
  subcommand({
    parent,
    name: "export",
    description: "write the events of a session as JSON lines, or sessions as a bundle that can be verified",
  })
    .argument("[ids...]", `${ID} (with --bundle: several, or all)`)
    .option("--bundle <file>", "write a bundle, which `sessions verify --bundle` verifies without this store")
    .option("--sign <key>", "sign the bundle with an SSH key: the file of the key, or its .pub with an agent")
    .addOption(storeOption())
    .action(async (ids: string[], _options, command: Command) => {
      const options = optionsOf<{ readonly bundle?: string }>(command);
      const terminal = await terminalOf(command);
      if (options.bundle !== undefined) {
        const { bundleSessions } = await import("../audit/evidence/bundle-sessions.ts");
        done(await bundleSessions({ ...options, ids, file: options.bundle }, terminal));
        return;
      }
      const { exportSession } = await import("../audit/show/export-session.ts");
      done(await exportSession({ ...options, ids }, terminal));
    });
}

function addReplay(parent: Command, done: Done): void {
  subcommand({
    parent,
    name: "replay",
    description: "decide the calls of a session again, with the policy of today; nothing runs",
  })
    .argument("<id>", ID)
    .addOption(projectOption("the project whose policy decides (default: the one of the session)"))
    .addOption(policyOption())
    .addOption(storeOption())
    .option("--exit-code", "exit with 1 if a call is decided differently")
    .action(async (id: string, _options, command: Command) => {
      const { replaySession } = await import("../policy/replay-session.ts");
      done(await replaySession({ ...optionsOf(command), id }, await terminalOf(command)));
    });
}

interface VerifyOptions {
  readonly checkpoint?: string;
  readonly bundle?: string;
  readonly key?: string;
  readonly store?: string;
}

function addVerify(parent: Command, done: Done): void {
  subcommand({
    parent,
    name: "verify",
    description: "check the hash chain of sessions; exit with 1 at a changed event",
  })
    .argument("[ids...]", "ids of sessions, which may be shortened (default: all sessions)")
    .option("--checkpoint <file>", "also compare with the checkpoints in a file")
    .option("--bundle <file>", "verify a bundle instead, without any store")
    .option("--key <file>", "the public SSH key that the checkpoints or the bundle must be signed with")
    .addOption(storeOption())
    .action(async (ids: string[], _options, command: Command) => {
      const { checkpoint, bundle, key, store: folder } = optionsOf<VerifyOptions>(command);
      const terminal = await terminalOf(command);
      if (bundle !== undefined) {
        const { verifyBundle } = await import("../audit/evidence/verify-outside.ts");
        done(await verifyBundle({ file: bundle, key }, terminal));
        return;
      }
      const { verifySessions } = await import("../audit/evidence/verify-sessions.ts");
      const { withStore } = await import("../project/store/with-store.ts");
      const verify = (store: Parameters<typeof verifySessions>[0]) =>
        verifySessions(store, { ids, checkpoint, key }, terminal);
      done(await withStore(terminal.cwd, verify, folder));
    });
}

/** `sessions checkpoint`, `sweep` and `erase`. */
function addRecords(parent: Command, done: Done): void {
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
      done(await makeCheckpoint(optionsOf(command), await terminalOf(command)));
    });
  subcommand({
    parent,
    name: "sweep",
    description: "remove sessions that are older than `journal.keepDays` of the configuration",
  })
    .addOption(storeOption())
    .action(async (_options, command: Command) => {
      const { sweepSessions } = await import("../audit/remove-records.ts");
      done(await sweepSessions(optionsOf(command), await terminalOf(command)));
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
      done(await eraseSession({ ...optionsOf(command), id }, await terminalOf(command)));
    });
}
