import type { RegisteredTool } from "../contract/call.ts";
import { inTime } from "../policy/promises.ts";

/** Puts away the tools of a session that is over. One that fails to, or takes too long, holds up nobody. */
export async function putAway(tools: readonly RegisteredTool[], graceMs: number): Promise<void> {
  await Promise.allSettled(tools.map((one) => inTime(ended(one), graceMs)));
}

async function ended({ tool }: RegisteredTool): Promise<void> {
  await tool.deactivate?.();
  await tool.dispose?.();
}
