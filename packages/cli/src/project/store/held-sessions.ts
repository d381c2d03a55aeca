import type { Principal } from "@toolkeep/core";
import type { SqliteStore } from "@toolkeep/sqlite";
import { CommandError, EXIT } from "../../terminal/command-error.ts";
import { isOfReports, reportedSession } from "./reported-sessions.ts";

const ENTRY = /^(?:(session|user):)?(.+)$/s;

/**
 * Whether a session may not be removed or erased: `audit.hold` names it (`session:ID`, with `*` for any text), or
 * a user on whose behalf it ran (`user:NAME`), or everything (`*`). What a client reported about a session is held
 * with it.
 */
export async function isHeld(
  store: Pick<SqliteStore, "events">,
  sessionId: string,
  hold: readonly string[] = [],
): Promise<boolean> {
  if (hold.length === 0) return false;
  const names = isOfReports(sessionId) ? [sessionId, reportedSession(sessionId)] : [sessionId];
  const entries = hold.map(entryOf);
  const isNamed = entries.some(({ kind, is }) => kind !== "user" && names.some((name) => is.test(name)));
  if (isNamed) return true;
  const users = entries.filter(({ kind }) => kind === "user");
  if (users.length === 0) return false;
  for (const name of names)
    for (const user of await usersOf(store, name)) if (users.some(({ is }) => is.test(user))) return true;
  return false;
}

function entryOf(entry: string) {
  const [, kind = "session", text = ""] = ENTRY.exec(entry) ?? [];
  const parts = text.split(/\*+/).map((part) => RegExp.escape(part));
  return { kind, is: new RegExp(`^${parts.join(".*")}$`, "su") };
}

/** On whose behalf a session ran, and its turns. */
async function usersOf(store: Pick<SqliteStore, "events">, sessionId: string): Promise<ReadonlySet<string>> {
  const users = new Set<string>();
  try {
    for await (const event of store.events(sessionId, { types: ["session-open", "turn-start"] })) {
      const { principal } = event as { readonly principal?: Partial<Principal> };
      if (principal?.user !== undefined) users.add(principal.user);
    }
  } catch {
    // A session that is gone, or whose record was changed: the latter is never removed.
  }
  return users;
}

/** @throws CommandError for a session that is held. */
export function heldError(sessionId: string): CommandError {
  return new CommandError(`The session ${sessionId} is held: the administrator's \`audit.hold\` names it.`, {
    exit: EXIT.denied,
  });
}
