import type { Transport } from "@modelcontextprotocol/client";
import type { ToolFailure } from "@toolkeep/core";

/** The transport to one server, for one connection. */
export interface Link extends Transport {
  /** Why it was dropped, if known. Set before `onclose` is called. */
  readonly error: ToolFailure | undefined;
  /** Bytes received so far. */
  readonly received: number;
  /** How it ended, for the user: a signal, an exit code, the last output of a program. */
  lastMessage(): string;
  /** Closes it at once, for this reason. */
  drop(error: ToolFailure): void;
  /** Stops waiting for the user's login. Closing does not imply it: libraries close too. */
  abandon(): void;
}

/** The size limit of one message. */
export const MOST_MESSAGE_BYTES = 16 * 2 ** 20;
