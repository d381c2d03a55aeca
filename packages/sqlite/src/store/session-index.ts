import type { ApprovalRequest, PersonRequest } from "@toolkeep/core";
import { REQUEST_TYPES } from "@toolkeep/core/journal";
import type { Leases } from "./leases.ts";
import { type EventDatabase, readEvents } from "./read-events.ts";
import type { SessionRow } from "./session-rows.ts";

/** A session of a store. Times are milliseconds since the epoch. */
export interface SessionEntry {
  readonly sessionId: string;
  readonly openedAt: number;
  readonly activeAt: number;
  /** How many calls are settled. */
  readonly calls: number;
  /** `parked`: a turn waits for a person. `open`: it was not closed, though its process may be gone. */
  readonly state: "open" | "parked" | "closed";
  /** Whether a living process writes to it. */
  readonly isInUse: boolean;
  /** Turns that began and are not over. Unless the session is in use, they can be resumed. */
  readonly unfinishedTurns: readonly string[];
  /** The ids of the requests that wait for an answer. */
  readonly waiting: readonly string[];
}

export interface SessionsQuery {
  readonly state?: SessionEntry["state"];
  /** Without one all of them are given. */
  readonly limit?: number;
}

/** Something that waits for a person, and the session it belongs to. */
export interface WaitingRequest {
  readonly sessionId: string;
  readonly askedAt: number;
  readonly request: PersonRequest;
}

/** Latest activity first. */
export function listSessions(
  database: EventDatabase,
  leases: Leases,
  { state, limit = Number.POSITIVE_INFINITY }: SessionsQuery = {},
): readonly SessionEntry[] {
  const entries: SessionEntry[] = [];
  for (const row of database.sessions.newest(state === undefined && Number.isFinite(limit) ? limit : -1)) {
    if (entries.length >= limit) break;
    const entry = entryOf(row, database, leases);
    if (state === undefined || entry.state === state) entries.push(entry);
  }
  return entries;
}

/** Oldest first, of all sessions. What came too late to be answered does not wait. */
export function listWaiting(database: EventDatabase, now: number = Date.now()): readonly WaitingRequest[] {
  const waiting: WaitingRequest[] = [];
  for (const row of database.sessions.newest(-1)) {
    for (const event of readEvents(database, row, { types: REQUEST_TYPES, standing: true })) {
      if (!("request" in event)) continue;
      const { expiresAt = Number.POSITIVE_INFINITY } = event.request as ApprovalRequest;
      if (expiresAt > now) waiting.push({ sessionId: row.name, askedAt: event.at, request: event.request });
    }
  }
  return waiting.toSorted((one, other) => one.askedAt - other.askedAt);
}

function entryOf(row: SessionRow, { sessions }: EventDatabase, leases: Leases): SessionEntry {
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
