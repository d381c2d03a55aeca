/**
 * Clients wait for 30 seconds, and then let the call pass. Many hooks at once share the processors and take turns in
 * their conversation, so each of them may use most of that time, from the start of its process.
 */
const DECIDED_MS = 24_000;
/** For a thread that is too busy to run the timer. */
const KILLED_MS = 27_000;

/** How long this process may still decide, and how long it may still live. */
export function timeLeft(): { readonly decideMs: number; readonly liveMs: number } {
  const used = performance.now();
  return { decideMs: Math.max(0, DECIDED_MS - used), liveMs: Math.max(0, KILLED_MS - used) };
}

export const TOO_LATE = `it took longer than ${DECIDED_MS / 1_000} seconds. Run the call again; if it happens often, run \`toolkeep doctor\`.`;
