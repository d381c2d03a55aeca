import { type Journal, memoryJournal, memoryPending, type PendingArguments } from "@toolkeep/core/journal";

/** Where chats are kept from request to request. `openStore` of `@toolkeep/node` gives one that outlives the process. */
export interface ChatStore {
  /** The journal of one chat, the same events each time. */
  journal(sessionId: string): Journal & { close?(): void };
  readonly pending: PendingArguments;
}

/** Chats in memory, gone with the process: for development and tests. */
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
