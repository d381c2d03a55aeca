import { createRegistry } from "@toolkeep/core";
import { type RecordedCall, recordedCalls } from "@toolkeep/core/policy";
import type { Store } from "@toolkeep/sqlite";
import { dryRunTools } from "../hooks/dry-run-tools.ts";
import { HOOK_CLIENTS } from "../hooks/hook-call.ts";
import { isOfReports, reportsOf } from "../hooks/record-outcome.ts";
import { reportsIn } from "../log/logged-calls.ts";

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
  store: Pick<Store, "sessions" | "events">,
): Promise<{ readonly sessions: readonly RecordedSession[]; readonly skipped: number }> {
  const all = store.sessions();
  const known = new Set(all.map(({ sessionId }) => sessionId));
  const tools = ownTools();
  const sessions: RecordedSession[] = [];
  let skipped = 0;
  for (const { sessionId } of all.filter((one) => !isOfReports(one.sessionId))) {
    const isOfHook = HOOK_CLIENTS.some((client) => sessionId.startsWith(`${client}.`));
    const journal = { read: (query?: Parameters<Store["events"]>[1]) => store.events(sessionId, query) };
    const calls = await recordedCalls(journal, isOfHook ? { tools } : {});
    const roots = calls[0]?.context.roots ?? [];
    if (calls.length === 0) continue;
    if (roots.length === 0) {
      skipped += 1;
      continue;
    }
    const reports = reportsOf(sessionId);
    const outcomes = known.has(reports)
      ? await reportsIn(store.events(reports, { types: ["call-end"] }))
      : new Map<string, string>();
    sessions.push({ sessionId, roots, calls, outcomes });
  }
  return { sessions, skipped };
}

function ownTools() {
  const registry = createRegistry();
  for (const tool of dryRunTools()) registry.register(tool);
  return registry.list();
}
