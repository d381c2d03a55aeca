import type { SessionEntry, Store } from "@toolkeep/sqlite";
import { CommandError, EXIT } from "../terminal/command-error.ts";

/**
 * The session that somebody means by a name, which may be shortened; all of them where none is named. Latest activity
 * first.
 * @throws CommandFault where none or several are meant.
 */
export function findSessions(
  store: Pick<Store, "sessions">,
  name: string | undefined,
): readonly SessionEntry[] {
  const all = store.sessions();
  if (name === undefined) return all;
  const exact = all.filter(({ sessionId }) => sessionId === name);
  const meant = exact.length > 0 ? exact : all.filter(({ sessionId }) => sessionId.startsWith(name));
  if (meant.length === 1) return meant;
  if (meant.length === 0) {
    throw new CommandError(`No session is called ${JSON.stringify(name)}.`, {
      hint: "`toolkeep log` shows the latest calls of all sessions, with their names.",
    });
  }
  throw new CommandError(`${JSON.stringify(name)} means ${meant.length} sessions.`, {
    exit: EXIT.usage,
    hint: `Write more of the one you mean, e.g. ${meant[0]?.sessionId}.`,
  });
}
