import { ToolkeepError } from "@toolkeep/core";
import type { SqliteStore, SweepStoreOptions } from "./store.ts";

interface Sweeping {
  /** Whether a session that waited for an answer still does. */
  stillWaits(sessionId: string, activeAt: number): boolean;
  remove(sessionId: string, nextSeq: number): Promise<void>;
}

/**
 * Removes old sessions, the oldest first. One that was changed is evidence, and may be newer than it says: it stays. So
 * does one that continues while it is looked at, and one that another process removes is left to that process.
 */
export async function sweepSessions(
  store: Pick<SqliteStore, "sessions" | "heads" | "verify">,
  { olderThanMs, isKept, limit = Number.POSITIVE_INFINITY }: SweepStoreOptions,
  { stillWaits, remove }: Sweeping,
): Promise<readonly string[]> {
  const before = Date.now() - olderThanMs;
  // Before they are listed: what is written meanwhile is noticed when one is removed.
  const ends = new Map(store.heads().map(({ sessionId, nextSeq }) => [sessionId, nextSeq]));
  const old = store
    .sessions()
    .filter(
      ({ sessionId, activeAt, isInUse, state, waiting }) =>
        activeAt < before &&
        !isInUse &&
        ((state !== "parked" && waiting.length === 0) || !stillWaits(sessionId, activeAt)),
    );
  const swept: string[] = [];
  for (const { sessionId } of old.toReversed()) {
    if (swept.length >= limit) break;
    try {
      if (!(await store.verify(sessionId)).intact || (await isKept?.(sessionId)) === true) continue;
      await remove(sessionId, ends.get(sessionId) ?? 0);
      swept.push(sessionId);
    } catch (error) {
      const isGoneOrUsed =
        ToolkeepError.isInstance(error) && ["invalid_option", "session_in_use"].includes(error.code);
      if (!isGoneOrUsed) throw error;
    }
  }
  return swept;
}
