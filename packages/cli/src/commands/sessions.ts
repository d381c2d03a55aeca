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
  below("list", async () => (await import("../audit/show/list-sessions.ts")).listSessions);
  below("show", async () => (await import("../audit/show/show-session.ts")).showSession);
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
  below("replay", async () => (await import("../policy/replay-session.ts")).replaySession);
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
  below("checkpoint", async () => (await import("../audit/evidence/make-checkpoint.ts")).makeCheckpoint);
}

function addRemoving(parent: Command, done: Done): void {
  const below = commandsOf(parent, done);
  below("sweep", async () => (await import("../audit/remove-records.ts")).sweepSessions);
  below("erase", async () => (await import("../audit/remove-records.ts")).eraseSession);
}
