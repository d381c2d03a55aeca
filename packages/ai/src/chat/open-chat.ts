import type { Approver, Session, SessionOptions } from "@toolkeep/core";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { type Journal, memoryJournal, memoryPending, type PendingArguments } from "@toolkeep/core/journal";

/** Where a chat is kept: in a store, in ports of the application, or in memory. */
export interface ChatLocation {
  readonly sessionId: string;
  readonly pending: PendingArguments;
  journal(): Journal & { close?(): void };
}

/** An approver that parks every request: the answer comes with a later request, perhaps in another process. */
export const sdkApprover: Approver = Object.freeze({ approve: async () => "later" as const });

/** One day. */
const APPROVAL_DEADLINE_MS = 24 * 60 * 60 * 1_000;

export function locationOf(options: {
  readonly sessionId?: string;
  readonly store?: ChatStore;
  readonly journal?: Journal;
  readonly pending: PendingArguments;
}): ChatLocation {
  const { sessionId = crypto.randomUUID(), store, journal = memoryJournal(), pending } = options;
  return {
    sessionId,
    pending,
    journal: store === undefined ? () => journal : () => store.journal(sessionId),
  };
}

/** Opens the session of a chat: a new one, or the one of an earlier request or process. */
export async function openChat(location: ChatLocation, options: SessionOptions): Promise<Session> {
  const { sessionId, pending } = location;
  const journal = location.journal();
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
    // Release the journal, so that another attempt can open it.
    journal.close?.();
    throw error;
  }
}

/** Keeps chats between requests. `openStore` of `@toolkeep/sqlite` keeps them on disk. */
export interface ChatStore {
  /** The journal of one chat. */
  journal(sessionId: string): Journal & { close?(): void };
  readonly pending: PendingArguments;
}

/** Keeps chats in memory, for development and tests. */
export function memoryStore(): ChatStore {
  const journals = new Map<string, Journal>();
  return {
    pending: memoryPending(),
    journal(sessionId) {
      const journal = journals.get(sessionId) ?? memoryJournal();
      journals.set(sessionId, journal);
      return journal;
    },
  };
}
