import type { StoredSession } from "@toolkeep/core/journal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { isOfReports } from "../../project/store/reported-sessions.ts";
import { CommandError, usageError } from "../../terminal/command-error.ts";

/** The whole id of a session by a shortened one; `undefined` without one. @throws CommandError for none or several. */
export function findSession<Id extends string | undefined>(store: Pick<SqliteStore, "sessions">, id: Id): Id;
export function findSession(
  store: Pick<SqliteStore, "sessions">,
  id: string | undefined,
): string | undefined {
  if (id === undefined) return undefined;
  const all = store.sessions().map(({ sessionId }) => sessionId);
  if (all.includes(id)) return id;
  const matching = id === "" ? [] : all.filter((one) => isShortened(one, id));
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only;
  if (matching.length === 0) {
    throw new CommandError(`No session has the id ${JSON.stringify(id)}.`, {
      hint: "Run `toolkeep sessions list` to see the latest sessions, with their ids.",
    });
  }
  const short = shortIds(store);
  const more = matching.length > MOST_LISTED ? `\n  and ${matching.length - MOST_LISTED} more` : "";
  const list = matching.slice(0, MOST_LISTED).map((one) => `\n  ${short(one)}`);
  throw usageError(
    `${JSON.stringify(id)} matches ${matching.length} sessions:${list.join("")}${more}`,
    "Use a longer id.",
  );
}

const MOST_LISTED = 10;
/** Shorter ones soon match another session. */
const SHORTEST = 8;

/** Shortens ids to a beginning that only one session has now. A new session is looked up when it is first asked about. */
export function shortIds(store: Pick<SqliteStore, "sessions">): (sessionId: string) => string {
  let all: readonly string[] = [];
  const known = new Map<string, string>();
  return (sessionId) => {
    const before = known.get(sessionId);
    if (before !== undefined) return before;
    if (!all.includes(sessionId)) all = store.sessions().map((one) => one.sessionId);
    let length = sessionId.indexOf(".") + 1 + SHORTEST;
    const isUnique = (id: string) => all.filter((one) => isShortened(one, id)).length === 1;
    while (length < sessionId.length && !isUnique(sessionId.slice(0, length))) length += 1;
    known.set(sessionId, sessionId.slice(0, length));
    return sessionId.slice(0, length);
  };
}

/** The beginning of the id, or of what follows the name of the client in it. */
function isShortened(sessionId: string, id: string): boolean {
  if (isOfReports(sessionId)) return false;
  return sessionId.startsWith(id) || sessionId.slice(sessionId.indexOf(".") + 1).startsWith(id);
}

/** The entry of one session, or those of all; latest activity first. */
export function sessionsOf(
  store: Pick<SqliteStore, "sessions">,
  sessionId: string | undefined,
): readonly StoredSession[] {
  const all = store.sessions();
  return sessionId === undefined ? all : all.filter((one) => one.sessionId === sessionId);
}
