import type { JournalEntry, SessionEvent } from "../contract/store/event.ts";
import type { Message } from "../contract/store/steps.ts";
import type { Journal, PendingArguments } from "../contract/store/store.ts";
import type { RegisteredTool } from "../contract/tool/tool.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { SessionParts } from "./run-turn.ts";
import type { SessionLife } from "./session-life.ts";

/** What a loop around a session keeps with it, so that both are continued from one store. */
export interface SessionRecord {
  readonly journal: Pick<Journal, "read">;
  /** The events of another session in the same store, which no process has open: that of a subagent. */
  journalOf(sessionId: string): Pick<Journal, "read">;
  /** Raw values, protected like the arguments of waiting calls. A key is `<session>/<turn>/…` of an unfinished turn. */
  readonly pending: PendingArguments;
  readonly redactor: Redactor;
  /** Those that models get no definition of as well. */
  tools(): readonly RegisteredTool[];
  /** Records an event. Its text is redacted; JSON must be redacted already. */
  write(turn: string, entry: JournalEntry): void;
  /** Durable from here on. */
  flush(): Promise<void> | undefined;
  /** Runs what a turn does around its calls. The signal aborts when the turn or the session is cancelled. */
  within<Result>(turn: string, action: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** As `session.steer`: who takes the message gets this object. */
  send(message: Message): void;
  /** The messages of the user that no turn has taken. */
  takeMessages(): Promise<readonly Message[]> | readonly Message[];
  /** What the store calls a message that it keeps, until the loop says that it is recorded. */
  messageId(message: Message): string | undefined;
  messagesRecorded(ids: Iterable<string>): Promise<void>;
  /** Calls a function with every event at once, in order, until it is undone. */
  listen(listener: (event: SessionEvent) => void): () => void;
}

const records = new WeakMap<object, SessionRecord>();

/** The record of a session that this copy of the package created. */
export function sessionRecord(session: object): SessionRecord {
  const record = records.get(session);
  if (record === undefined) throw new TypeError("The session was not made by this copy of @toolkeep/core.");
  return record;
}

export function keepRecord(
  session: object,
  { runtime, registry, journal, link, stream }: SessionParts,
  life: SessionLife,
): void {
  const { recorder, redactor, ports } = runtime;
  records.set(session, {
    journal,
    journalOf: (sessionId) => ({ read: (query) => link.eventsOf(sessionId, query) }),
    pending: ports.pending,
    redactor,
    tools: () => registry.list(),
    write: (turn, entry) => recorder.write(turn, entry),
    flush: () => recorder.flush(),
    within: (turn, action) =>
      life.alone(turn, async ({ signal }) => {
        link.keepsMessages = true;
        try {
          return await action(signal);
        } finally {
          link.keepsMessages = false;
        }
      }),
    send: (message) => void link.messages.push(message),
    takeMessages: () => link.takeMessages(),
    messageId: (message) => link.idOf(message),
    messagesRecorded: (ids) => link.removeMessages(ids),
    listen: (listener) => stream.listen(listener),
  });
}
