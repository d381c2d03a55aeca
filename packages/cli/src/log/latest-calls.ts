import type { SessionEntry, Store } from "@toolkeep/sqlite";
import { LOGGED_EVENTS, type LoggedCall, loggedCalls } from "./logged-call.ts";

/** The last calls of these sessions, oldest first. The sessions must come with the latest activity first. */
export async function latestCalls(
  store: Pick<Store, "events">,
  { sessions, last }: { readonly sessions: readonly SessionEntry[]; readonly last: number },
): Promise<readonly LoggedCall[]> {
  let latest: readonly LoggedCall[] = [];
  for (const { sessionId, activeAt } of sessions) {
    // Whatever is in this one, and in those after it, is older.
    if (latest.length === last && (latest[0]?.at ?? 0) > activeAt) break;
    const calls = await loggedCalls(sessionId, store.events(sessionId, { types: LOGGED_EVENTS }));
    latest = [...latest, ...calls].toSorted((one, other) => one.at - other.at).slice(-last);
  }
  return latest;
}
