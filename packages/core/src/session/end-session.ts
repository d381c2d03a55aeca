import type { Journal } from "../contract/store/store.ts";
import type { RegisteredTool } from "../contract/tool/tool.ts";
import { inTime } from "../policy/rules/promises.ts";
import type { SessionParts } from "./run-turn.ts";

/** Ends a session whose turns are over: its tools, its record, its event streams, and its outputs. */
export async function endSession(parts: SessionParts): Promise<void> {
  const { runtime, journal, stream } = parts;
  parts.release();
  try {
    await parts.disposeTools();
    runtime.recorder.end({ type: "session-close" });
    await runtime.recorder.flush();
  } finally {
    stream.end();
    try {
      if (!(await isWaitedFor(journal))) await runtime.ports.sidecar.clear();
    } finally {
      // Also one that broke and cannot be read: otherwise this process could not open the session again.
      await journal.release();
    }
  }
}

/** Leaves a session whose turns are over, so that another process can continue it. It is not closed. */
export async function leaveSession(parts: SessionParts): Promise<void> {
  const { runtime, journal, stream } = parts;
  parts.release();
  try {
    await parts.disposeTools();
    runtime.recorder.stop();
    await runtime.recorder.flush();
  } finally {
    stream.end();
    await journal.release();
  }
}

/** Whether a turn of the session waits: it will be resumed, perhaps by another process. */
async function isWaitedFor(journal: Journal): Promise<boolean> {
  const parked = new Set<string>();
  for await (const { type, turn } of journal.read({ types: ["turn-park", "turn-end"], standing: true })) {
    if (type === "turn-park") parked.add(turn);
    else parked.delete(turn);
  }
  return parked.size > 0;
}

/** Disposes tools. A tool that fails to, or takes too long, does not hold up the others. */
export async function disposeTools(tools: readonly RegisteredTool[], graceMs: number): Promise<void> {
  await Promise.allSettled(tools.map((one) => inTime(disposed(one), graceMs)));
}

async function disposed({ tool }: RegisteredTool): Promise<void> {
  await tool.deactivate?.();
  await tool.dispose?.();
}
