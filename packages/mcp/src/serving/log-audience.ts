import type { LoggingLevel } from "@modelcontextprotocol/server";
import { isLoud, type LogMessage, quieter } from "../connection/news/server-log.ts";

type Send = (message: LogMessage) => Promise<void>;

/** The clients that want log messages of servers. A client that did not ask for them receives none. */
export class LogAudience {
  readonly #readers = new Map<object, { readonly level: LoggingLevel; readonly send: Send }>();
  readonly #want: (level: LoggingLevel | undefined) => void;

  /** `want` receives the lowest level that a client wants; `undefined` if none does. */
  constructor(want: (level: LoggingLevel | undefined) => void) {
    this.#want = want;
  }

  join(reader: object, level: LoggingLevel, send: Send): void {
    this.#readers.set(reader, { level, send });
    this.#sendLevel();
  }

  remove(reader: object): void {
    if (this.#readers.delete(reader)) this.#sendLevel();
  }

  tell(message: LogMessage): void {
    // A client that has disconnected needs no log messages.
    for (const { level, send } of this.#readers.values())
      if (isLoud(message.level, level)) send(message).catch(() => {});
  }

  #sendLevel(): void {
    const levels = [...this.#readers.values()].map(({ level }) => level);
    this.#want(levels.length === 0 ? undefined : levels.reduce(quieter));
  }
}
