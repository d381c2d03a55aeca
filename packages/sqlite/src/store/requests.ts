import { type GivenAnswer, ToolkeepError, type WaitingRequest } from "@toolkeep/core";
import { assertAnswer, REQUEST_LASTS_MS, refusedAnswer, waitingRequest } from "@toolkeep/core/internal";
import {
  type ChangedRequest,
  type JournalEvent,
  REQUEST_TYPES,
  type RequestRef,
  type WaitingQuery,
} from "@toolkeep/core/journal";
import type { Inbox } from "./inbox.ts";
import { type EventDatabase, readEvents } from "./read-events.ts";

/** Requests that can be answered, and for which no answer was left. */
export function waitingRequests(
  database: EventDatabase,
  inbox: Inbox,
  query: WaitingQuery,
): readonly WaitingRequest[] {
  const isAnswered = inbox.answered();
  return (
    listRequests(database, query)
      .filter(isInTime)
      // One of several signatures does not answer a request.
      .filter(
        ({ sessionId, request }) =>
          !isAnswered({ sessionId, id: request.id }) || ("needs" in request && request.needs !== undefined),
      )
      .slice(0, query.limit)
  );
}

export function expiredRequests(database: EventDatabase, now: number): readonly WaitingRequest[] {
  return listRequests(database).filter(({ expiresAt = 0 }) => expiresAt <= now);
}

/** @throws ToolkeepError `answer_refused` for what is no answer to this request. */
export function assertAnswerTo(
  { sessionId, id }: RequestRef,
  answer: GivenAnswer,
  database: EventDatabase,
): void {
  const onChanged = (changed: ChangedRequest) => {
    if (changed.id === id) throw refusedAnswer(id, changed.reason);
  };
  const found = listRequests(database, { sessionId, onChanged });
  assertAnswer(
    id,
    answer,
    found.find(({ request }) => request.id === id),
  );
}

/** Requests that are not answered, oldest first, whether they have expired or not. One session that was changed hides no other. */
function listRequests(
  database: EventDatabase,
  { sessionId, onChanged }: WaitingQuery = {},
): readonly WaitingRequest[] {
  const requests: WaitingRequest[] = [];
  const rows =
    sessionId === undefined
      ? database.sessions.newest(-1)
      : [database.sessions.byName(sessionId)].filter((row) => row !== undefined);
  for (const row of rows) {
    const standing = database.sessions.standingEvents(row.id, REQUEST_TYPES);
    try {
      const found = [...readEvents(database, row, { types: REQUEST_TYPES, standing: true })];
      for (const [index, { key }] of standing.entries()) {
        const waiting = recordedRequest(found[index], row.name, key);
        if (waiting !== undefined) requests.push(waiting);
        else onChanged?.({ sessionId: row.name, id: key, reason: OTHER_REQUEST });
      }
    } catch (error) {
      if (!ToolkeepError.isInstance(error)) throw error;
      const reason = error.message.replace(/\.$/, "");
      for (const { key } of standing) onChanged?.({ sessionId: row.name, id: key, reason });
    }
  }
  return requests.toSorted((one, other) => one.askedAt - other.askedAt);
}

/** The request, if the event is what the index says it is. */
function recordedRequest(event: JournalEvent | undefined, session: string, key: string) {
  if (event === undefined || !("request" in event)) return undefined;
  const { request, turn, id, at } = event;
  const isSame = `${turn}/${id}` === key && (request.sessionId ?? session) === session;
  return isSame ? waitingRequest(session, at, request) : undefined;
}

const OTHER_REQUEST = "it is not the request that its session recorded";

/** Whether a request can still be answered; `gone` is also one that was. */
export function requestState(
  database: EventDatabase,
  { sessionId, id }: RequestRef,
): "open" | "expired" | "gone" {
  const found = listRequests(database, { sessionId }).find(({ request }) => request.id === id);
  if (found === undefined) return "gone";
  return isInTime(found) ? "open" : "expired";
}

function isInTime({ expiresAt = 0 }: WaitingRequest): boolean {
  return expiresAt > Date.now();
}

/** Whether a session waits for an answer that can still come, or may be resumed with one. One that was changed stays. */
export function stillWaits(database: EventDatabase, sessionId: string, activeAt: number): boolean {
  const row = database.sessions.byName(sessionId);
  const own = listRequests(database, { sessionId });
  if (row === undefined || own.some(isInTime)) return true;
  const states = new Set<string>(own.length > 0 ? ["expired"] : []);
  try {
    for (const event of readEvents(database, row, { types: ["turn-park"], standing: true }))
      if (event.type === "turn-park")
        for (const one of event.elsewhere ?? []) states.add(requestState(database, one));
  } catch {
    return true;
  }
  return states.has("open") || (!states.has("expired") && activeAt > Date.now() - REQUEST_LASTS_MS);
}
