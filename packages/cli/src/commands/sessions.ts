import type { Command } from "commander";
import { commandsOf, type Done, optionsOf, terminalOf } from "../terminal/command-line.ts";

/** `toolkeep sessions` with its commands. */
export function add(program: Command, done: Done): void {
  const parent = commandsOf(program, done)("sessions");
  addReading(parent, done);
  addEvidence(parent, done);
  addRemoving(parent, done);
}

function addReading(parent: Command, done: Done): void {
  const below = commandsOf(parent, done);
  below("list", async (command) => {
    const { listSessions } = await import("../audit/show/list-sessions.ts");
    return listSessions(optionsOf(command), await terminalOf(command));
  });
  below("show", async (command) => {
    const { showSession } = await import("../audit/show/show-session.ts");
    return showSession(optionsOf(command), await terminalOf(command));
  });
  below("export", async (command) => {
    const { bundle: file, ...options } = optionsOf<ExportOptions>(command);
    const terminal = await terminalOf(command);
    if (file !== undefined) {
      const { bundleSessions } = await import("../audit/evidence/bundle-sessions.ts");
      return bundleSessions({ ...options, file }, terminal);
    }
    const { exportSession } = await import("../audit/show/export-session.ts");
    return exportSession(options, terminal);
  });
  below("replay", async (command) => {
    const { replaySession } = await import("../policy/replay-session.ts");
    return replaySession(optionsOf(command), await terminalOf(command));
  });
}

interface ExportOptions {
  readonly ids: readonly string[];
  readonly bundle?: string;
}

interface VerifyOptions extends ExportOptions {
  readonly checkpoint?: string;
  readonly key?: string;
  readonly store?: string;
}

function addEvidence(parent: Command, done: Done): void {
  const below = commandsOf(parent, done);
  below("verify", async (command) => {
    const { bundle, store: folder, ...options } = optionsOf<VerifyOptions>(command);
    const terminal = await terminalOf(command);
    if (bundle !== undefined) {
      const { verifyBundle } = await import("../audit/evidence/verify-outside.ts");
      return verifyBundle({ file: bundle, key: options.key }, terminal);
    }
    const { verifySessions } = await import("../audit/evidence/verify-sessions.ts");
    const { withStore } = await import("../project/store/with-store.ts");
    return withStore(terminal.cwd, (store) => verifySessions(store, options, terminal), folder);
  });
  below("checkpoint", async (command) => {
    const { makeCheckpoint } = await import("../audit/evidence/make-checkpoint.ts");
    return makeCheckpoint(optionsOf(command), await terminalOf(command));
  });
}

function addRemoving(parent: Command, done: Done): void {
  const below = commandsOf(parent, done);
  below("sweep", async (command) => {
    const { sweepSessions } = await import("../audit/remove-records.ts");
    return sweepSessions(optionsOf(command), await terminalOf(command));
  });
  below("erase", async (command) => {
    const { eraseSession } = await import("../audit/remove-records.ts");
    return eraseSession(optionsOf(command), await terminalOf(command));
  });
}
