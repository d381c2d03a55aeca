const MOST_UNASKED = 2_000;
const WINDOW_MS = 1_000;

/** Why a server that talks without being asked is dropped. */
export const UNASKED_REASON = `It sent more than ${MOST_UNASKED} messages within a second that nobody asked for.`;

/** Counts messages that nobody asked for; `false` once there are more within a second than can be borne. */
export function unaskedLimit(): () => boolean {
  let since = 0;
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - since > WINDOW_MS) {
      since = now;
      count = 0;
    }
    count += 1;
    return count <= MOST_UNASKED;
  };
}
