const WINDOW_MS = 1_000;

/** Counts events; `false` once there are more than the limit within a second. */
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
