import { containFolder, forgetPast } from "@toolkeep/node/internal";
import { forgetSeenOf } from "../project/contain/seen-commands.ts";
import { auditSettings } from "../project/store/audit-settings.ts";
import { heldError, isHeld } from "../project/store/held-sessions.ts";
import { sweepStore } from "../project/store/sweep-store.ts";
import { withStore } from "../project/store/with-store.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { confirmed, type Terminal } from "../terminal/terminal.ts";
import { userName } from "../terminal/user-name.ts";
import { findSession } from "./records/find-session.ts";

export interface SweepOptions {
  readonly store?: string | undefined;
}

/** Removes the sessions that are older than the configuration keeps them. */
export async function sweepSessions(options: SweepOptions, terminal: Terminal): Promise<number> {
  const settings = await auditSettings(terminal.cwd);
  if (settings.keepDays === undefined)
    throw new CommandError("No configuration says how long sessions are kept.", {
      hint: 'Set it: "journal": { "keepDays": 90 }',
    });
  return withStore(
    terminal.cwd,
    async (store) => {
      const swept = await sweepStore(store, settings);
      terminal.show(
        swept,
        swept.map((sessionId) => `${sessionId}  removed`),
      );
      terminal.note(`${swept.length} sessions without activity for ${settings.keepDays} days were removed.`);
      return EXIT.ok;
    },
    options.store,
  );
}

export interface EraseOptions {
  readonly id: string;
  readonly call?: string | undefined;
  readonly yes?: boolean;
  readonly store?: string | undefined;
}

/** Removes arguments and results from the record of a session. The chain stays whole. */
export async function eraseSession(options: EraseOptions, terminal: Terminal): Promise<number> {
  const { id, call, yes, store: folder } = options;
  const { hold } = await auditSettings(terminal.cwd);
  return withStore(
    terminal.cwd,
    async (store) => {
      const sessionId = findSession(store, id);
      if (await isHeld(store, sessionId, hold)) throw heldError(sessionId);
      const what = call === undefined ? "all calls" : `the call ${call}`;
      const question = `Erase the arguments and results of ${what} in ${sessionId}, and what is kept to undo its contained commands? They cannot be restored.`;
      await confirmed({ question, yes, refused: "Nothing was erased." }, terminal);
      const events = await store.erase(sessionId, {
        by: userName(),
        ...(call === undefined ? {} : { callId: call }),
      });
      const commands = await forgetPast(
        containFolder(),
        (past) => past.sessionId === sessionId && (call === undefined || past.callId === call),
      );
      await forgetSeenOf(sessionId);
      const ofCommands = commands === 0 ? "" : `, and the changes of ${commands} contained commands`;
      terminal.show({ sessionId, events, commands }, [
        `${sessionId}  ${events.length} events erased${ofCommands}`,
      ]);
      if (events.length + commands === 0) terminal.note("There was nothing to erase.");
      return EXIT.ok;
    },
    folder,
  );
}
