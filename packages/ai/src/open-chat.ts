import type { Approver, Session, SessionOptions } from "@toolkeep/core";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { type Journal, memoryJournal, type PendingArguments } from "@toolkeep/core/journal";
import type { ChatStore } from "./memory-store.ts";

/** Where a chat is kept: in a store, in ports of its own, or in memory for as long as somebody holds it. */
export interface ChatPlace {
  readonly sessionId: string;
  readonly pending: PendingArguments;
  journal(): Journal & { close?(): void };
}

/** The answer comes through the SDK, with another request and perhaps in another process. */
export const sdkApprover: Approver = Object.freeze({ approve: async () => "later" as const });

/** One day: who finds the question later finds the world changed as well. */
const APPROVAL_DEADLINE_MS = 24 * 60 * 60 * 1_000;

export function placeOf(options: {
  readonly sessionId?: string;
  readonly store?: ChatStore;
  readonly journal?: Journal;
  readonly pending: PendingArguments;
}): ChatPlace {
  const { sessionId = crypto.randomUUID(), store, journal = memoryJournal(), pending } = options;
  return {
    sessionId,
    pending,
    journal: store === undefined ? () => journal : () => store.journal(sessionId),
  };
}

/** Opens the session of a chat, or goes on with the one that an earlier request or process left. */
export async function openChat(place: ChatPlace, options: SessionOptions): Promise<Session> {
  const { sessionId, pending } = place;
  const journal = place.journal();
  const limits = { approvalDeadlineMs: APPROVAL_DEADLINE_MS, ...options.limits };
  try {
    return await createSession({
      ...options,
      id: sessionId,
      pending,
      journal,
      limits,
      approver: sdkApprover,
    });
  } catch (error) {
    // Whoever tries again must find the journal free.
    journal.close?.();
    throw error;
  }
}
