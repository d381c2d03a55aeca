import { invalidOption } from "@toolkeep/core/internal";
import {
  REQUEST_TYPES,
  type RequestRef,
  type SessionsQuery,
  type StandingEvent,
  type StoredSession,
  type UnfinishedTurn,
} from "@toolkeep/core/journal";
import type { Inbox } from "./inbox.ts";
import type { Leases } from "./leases.ts";
import { type EventDatabase, readEvents } from "./read-events.ts";
import type { SessionRow } from "./session-rows.ts";

/** Where the record of a session ends. */
export interface SessionHead {
  readonly sessionId: string;
  readonly nextSeq: number;
  /** The hash of its last batch. */
  readonly head: string;
  readonly activeAt: number;
}

/** Latest activity first. */
export function listSessions(
  database: EventDatabase,
  leases: Leases,
  { state, limit = Number.POSITIVE_INFINITY }: SessionsQuery = {},
): readonly StoredSession[] {
  const entries: StoredSession[] = [];
  for (const row of database.sessions.newest(state === undefined && Number.isFinite(limit) ? limit : -1)) {
    if (entries.length >= limit) break;
    const entry = entryOf(row, database, leases);
    if (state === undefined || entry.state === state) entries.push(entry);
  }
  return entries;
}

function entryOf(row: SessionRow, { sessions }: EventDatabase, leases: Leases): StoredSession {
  const standingEvents = sessions.standingEvents(row.id);
  const keysOf = (...types: readonly string[]) =>
    standingEvents.filter(({ type }) => types.includes(type)).map(({ key }) => key);
  const isParked = keysOf("turn-park").length > 0;
  return {
    sessionId: row.name,
    openedAt: row.openedAt,
    activeAt: row.activeAt,
    calls: row.calls,
    state: isParked ? "parked" : row.isClosed ? "closed" : "open",
    isInUse: leases.isHeld(row),
    unfinishedTurns: keysOf("turn-start"),
    waiting: keysOf(...REQUEST_TYPES),
  };
}

/**
 * Turns that began and are not finished, of sessions that no running process has open. A turn that only waits for
 * answers is left out until one was sent, and those of subagents are: only their parents can resume them.
 */
export function* listUnfinished(
  database: EventDatabase,
  leases: Leases,
  inbox: Inbox,
): Generator<UnfinishedTurn> {
  for (const row of database.sessions.newest(-1)) {
    const standing = database.sessions.standingEvents(row.id);
    const turns = standing.filter(({ type }) => type === "turn-start").map(({ key }) => key);
    if (turns.length === 0 || leases.isHeld(row) || isSubagent(database, row)) continue;
    const isOpen = (request: RequestRef) => isWaitingFor(request, database, inbox);
    const blocked = inbox.hasNews(row.name)
      ? new Set<string>()
      : blockedTurns(database, row, { standing, isOpen });
    for (const turn of turns) if (!blocked.has(turn)) yield { sessionId: row.name, turn };
  }
}

function isSubagent(database: EventDatabase, row: SessionRow): boolean {
  try {
    for (const event of readEvents(database, row, { types: ["session-open"], standing: true }))
      if (event.type === "session-open") return (event.agents ?? []).length > 0;
  } catch {
    // A session that was changed is listed: who opens it is told what is wrong.
  }
  return false;
}

/** Parked turns of which no request was answered since. */
function blockedTurns(
  database: EventDatabase,
  row: SessionRow,
  { standing, isOpen }: OpenRequests,
): ReadonlySet<string> {
  const open = new Set(standing.filter(isRequest).map(({ key }) => key));
  const blocked = new Set<string>();
  for (const event of readEvents(database, row, { types: ["turn-park"], standing: true })) {
    if (event.type !== "turn-park") continue;
    const { turn, waiting, of = turn, elsewhere = [] } = event;
    if (waiting.every((id) => open.has(`${of}/${id}`)) && elsewhere.every(isOpen)) blocked.add(turn);
  }
  return blocked;
}

interface OpenRequests {
  readonly standing: readonly StandingEvent[];
  /** Whether a request of another session is open. */
  isOpen(request: RequestRef): boolean;
}

/** Whether a request waits, and nothing was sent to its session that may change that. */
function isWaitingFor({ sessionId, id }: RequestRef, { sessions }: EventDatabase, inbox: Inbox): boolean {
  const row = sessions.byName(sessionId);
  if (row === undefined || inbox.hasNews(sessionId)) return false;
  return sessions.standingEvents(row.id).some((event) => isRequest(event) && event.key === id);
}

function isRequest({ type }: Pick<StandingEvent, "type">): boolean {
  return REQUEST_TYPES.some((one) => one === type);
}

/** Keys of raw arguments begin with the session id and a `/`. An id that contains one could match another session. */
export function assertSessionId(sessionId: string): void {
  if (sessionId !== "" && !sessionId.includes("/")) return;
  const reason =
    sessionId === "" ? "The session id is empty." : "The id of a session must not contain a `/`.";
  throw invalidOption(reason);
}
