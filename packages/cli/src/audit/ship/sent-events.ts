import type { Principal } from "@toolkeep/core";
import { defined, RecordedPrincipals } from "@toolkeep/core/internal";
import type { JournalEvent } from "@toolkeep/core/journal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { DELEGATED } from "../../clients/hook-call.ts";
import { recordKey } from "../../project/store/ship-cursor.ts";

type Opened = JournalEvent & { readonly type: "session-open" };
type Started = JournalEvent & { readonly type: "call-start" };

/** An event on its way out, with what earlier events of its session say about it. */
export interface SentEvent {
  /** Names the event for ever: a receiver that has seen it drops it. */
  readonly id: string;
  readonly sessionId: string;
  readonly event: JournalEvent;
  /** As it was written. */
  readonly line: string;
  readonly opened?: Opened;
  /** On whose behalf the turn of the event runs. */
  readonly principal?: Principal;
  /** The start of the call that the event ends. */
  readonly start?: Started;
}

/** The events of a session from a number on, in order. */
export async function* eventsFrom(
  store: Pick<SqliteStore, "export">,
  sessionId: string,
  from: number,
  decode: (line: string) => JournalEvent,
): AsyncGenerator<SentEvent> {
  let opened: Opened | undefined;
  let record: string | undefined;
  const principals = new RecordedPrincipals();
  const starts = new Map<string, Started>();
  for await (const line of store.export(sessionId)) {
    const event = decode(line);
    const { seq, turn } = event;
    record ??= recordKey(sessionId, event.at);
    if (event.type === "session-open") opened = event;
    principals.add(event);
    const call = "callId" in event ? `${turn}/${event.callId}` : undefined;
    if (event.type === "call-start") starts.set(`${turn}/${event.callId}`, event);
    const start = call === undefined || event.type === "call-start" ? undefined : starts.get(call);
    if (event.type === "call-end") starts.delete(`${turn}/${event.callId}`);
    if (seq < from) continue;
    const principal = principals.of(turn);
    yield { id: `${record}:${seq}`, sessionId, event, line, ...defined({ opened, principal, start }) };
  }
}

/** Whether a result only says that the client runs the call, and what becomes of it is not known here. */
export function isLeftToClient(event: JournalEvent): boolean {
  if (event.type !== "call-end") return false;
  return (event.result.value as { readonly data?: unknown }).data === DELEGATED;
}
