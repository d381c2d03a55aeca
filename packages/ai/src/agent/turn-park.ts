import type { PersonRequest } from "@toolkeep/core";
import type { JournalEntry } from "@toolkeep/core/journal";
import type { Delegation } from "./delegation/delegation.ts";

/** What subagents wait for. */
export type WaitingChildren = Pick<Delegation, "left" | "requests">;

/**
 * Says what the turn of a step waits for, and a run with it: its own requests, and those of subagents in their sessions.
 * Until one of them is answered, nothing can continue it.
 */
export function turnPark(
  of: string,
  requests: readonly PersonRequest[],
  children: WaitingChildren | undefined,
): JournalEntry & { readonly type: "turn-park" } {
  // No answer will come for children that left the process: who waits for one stays listed as unfinished.
  const waiting = [...requests.map(({ id }) => id.slice(of.length + 1)), ...(children?.left ?? [])];
  const elsewhere = (children?.requests() ?? []).map(({ sessionId, id }) => ({ sessionId, id }));
  return { type: "turn-park", waiting, of, ...(elsewhere.length === 0 ? {} : { elsewhere }) };
}
