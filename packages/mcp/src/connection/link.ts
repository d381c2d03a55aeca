import type { Transport } from "@modelcontextprotocol/client";
import type { ToolFailure } from "@toolkeep/core";

/** The wire to one server, for one life of it. */
export interface Link extends Transport {
  /** Why it was dropped, where we know. Set before `onclose` is told. */
  readonly error: ToolFailure | undefined;
  /** Bytes that came in so far. */
  readonly received: number;
  /** What is known of its end, for the person: a signal, an exit code, the last words of a program. */
  lastMessage(): string;
  /** Ends it at once, for this reason. */
  drop(error: ToolFailure): void;
  /** A person who should log in for it is not waited for any longer. Closing does not say that: libraries close too. */
  abandon(): void;
}

/** The most that one message may hold. */
export const MOST_MESSAGE_BYTES = 16 * 2 ** 20;
