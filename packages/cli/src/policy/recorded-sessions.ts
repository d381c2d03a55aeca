import { createRegistry } from "@toolkeep/core";
import { type RecordedCall, recordedCalls } from "@toolkeep/core/policy";
import type { SqliteStore } from "@toolkeep/sqlite";
import { reportedOf } from "../audit/records/logged-calls.ts";
import { HOOK_CLIENTS } from "../clients/hook-call.ts";
import { dryRunTools } from "../hooks/decide/dry-run/dry-run-tools.ts";
import { isOfReports } from "../project/store/reported-sessions.ts";
import { counted } from "../terminal/counted.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The decided calls of a session, and the folders that it worked in. */
export interface RecordedSession {
  readonly sessionId: string;
  readonly roots: readonly string[];
  readonly calls: readonly RecordedCall[];
  /** What a client reported about its calls, by their ids. */
  readonly outcomes: ReadonlyMap<string, string>;
}

/** The sessions of a store, latest first. `skipped`: those that do not say where they worked. */
export async function recordedSessions(
  store: Pick<SqliteStore, "sessions" | "events">,
  terminal: Pick<Terminal, "note">,
): Promise<{ readonly sessions: readonly RecordedSession[]; readonly skipped: number }> {
  terminal.note("Reading the recorded sessions…");
  const sessions: RecordedSession[] = [];
  let skipped = 0;
  for (const { sessionId } of store.sessions().filter((one) => !isOfReports(one.sessionId))) {
    const session = await recordedSession(store, sessionId);
    if (session.calls.length === 0) continue;
    if (session.roots.length === 0) skipped += 1;
    else sessions.push(session);
  }
  if (skipped > 0)
    terminal.note(`${counted(skipped, "session")} left out: the record does not say where they worked.`);
  return { sessions, skipped };
}

/** The decided calls of one session. `roots` is empty if it does not say where it worked. */
export async function recordedSession(
  store: Pick<SqliteStore, "events">,
  sessionId: string,
): Promise<RecordedSession> {
  const isOfHook = HOOK_CLIENTS.some((client) => sessionId.startsWith(`${client}.`));
  const journal = { read: (query?: Parameters<SqliteStore["events"]>[1]) => store.events(sessionId, query) };
  const calls = await recordedCalls(journal, isOfHook ? { tools: ownTools() } : {});
  const reported = await reportedOf(store, sessionId);
  const outcomes = new Map([...reported].map(([callId, { outcome }]) => [callId, outcome]));
  return { sessionId, roots: calls[0]?.context.roots ?? [], calls, outcomes };
}

function ownTools() {
  const registry = createRegistry();
  for (const tool of dryRunTools()) registry.register(tool);
  return registry.list();
}
