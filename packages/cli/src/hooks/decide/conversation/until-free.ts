import { setTimeout as wait } from "node:timers/promises";
import { ToolkeepError } from "@toolkeep/core";

/** Twenty hooks that decide by themselves take their turns in this time, and clients wait longer. */
const LEASE_MS = 16_000;
const FIRST_STEP_MS = 20;
const LONGEST_STEP_MS = 240;

/** Opens a session, and waits while another hook of its conversation has it. @throws ToolkeepError `session_in_use`. */
export async function untilFree<Result>(open: () => Promise<Result>, waitMs = LEASE_MS): Promise<Result> {
  const until = Date.now() + waitMs;
  for (let step = FIRST_STEP_MS; ; step = Math.min(2 * step, LONGEST_STEP_MS)) {
    try {
      return await open();
    } catch (error) {
      if (!ToolkeepError.isInstance(error) || error.code !== "session_in_use") throw error;
      if (Date.now() >= until) throw new ToolkeepError("session_in_use", waited(waitMs, error.message));
      await wait(step * (0.5 + Math.random()));
    }
  }
}

/** A process that hangs or was stopped keeps the session until it ends. */
function waited(ms: number, why: string): string {
  const [holder = "another process"] = /process \d+/.exec(why) ?? [];
  return `${holder} did not finish other calls of this conversation within ${ms / 1_000} seconds. Run the call again; if that happens again, end ${holder}.`;
}
