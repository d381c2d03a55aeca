import type { Store, SweepStoreOptions } from "./store.ts";

/** Removes old sessions, the oldest first. One that was changed is evidence, and may be newer than it says: it stays. */
export async function sweepSessions(
  store: Pick<Store, "sessions" | "verify">,
  { olderThanMs, isKept, limit = Number.POSITIVE_INFINITY }: SweepStoreOptions,
  remove: (sessionId: string) => Promise<void>,
): Promise<readonly string[]> {
  const before = Date.now() - olderThanMs;
  const old = store
    .sessions()
    .filter(
      ({ activeAt, isInUse, state, waiting }) =>
        activeAt < before && !isInUse && state !== "parked" && waiting.length === 0,
    );
  const swept: string[] = [];
  for (const { sessionId } of old.toReversed()) {
    if (swept.length >= limit) break;
    if (!(await store.verify(sessionId)).intact || (await isKept?.(sessionId)) === true) continue;
    await remove(sessionId);
    swept.push(sessionId);
  }
  return swept;
}
