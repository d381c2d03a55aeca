const last = new Map<string, Promise<unknown>>();

/**
 * Runs what is about the same thing one after the other, and everything else at the same time. A session has one
 * writer: hooks of a conversation in one process take turns here, and do not wait for the lease of each other.
 */
export async function inTurn<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
  const before = last.get(key);
  const own = (before ?? Promise.resolve()).then(run, run);
  last.set(key, own);
  try {
    return await own;
  } finally {
    if (last.get(key) === own) last.delete(key);
  }
}
