const WINDOW_MS = 1_000;

/** Counts what happens; `false` once it is more than so many times within a second. */
export function withinASecond(most: number): () => boolean {
  let since = 0;
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - since > WINDOW_MS) {
      since = now;
      count = 0;
    }
    count += 1;
    return count <= most;
  };
}
