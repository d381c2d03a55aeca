import type { SessionParts } from "./session-parts.ts";
import { isWaitedFor } from "./waited-for.ts";

/** Ends a session whose turns are over: its tools, its record, its event streams, and what was kept for it alone. */
export async function endSession(parts: SessionParts): Promise<void> {
  const { runtime, journal, stream } = parts;
  parts.release();
  try {
    await parts.putAway();
    runtime.recorder.end({ type: "session-close" });
    await runtime.recorder.flush();
  } finally {
    stream.end();
    if (!(await isWaitedFor(journal))) await runtime.ports.sidecar.clear();
  }
}
