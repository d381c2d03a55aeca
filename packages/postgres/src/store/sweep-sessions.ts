import { REQUEST_LASTS_MS } from "@toolkeep/core/internal";
import type { Database } from "../database/database.ts";
import { checkSession } from "./check-session.ts";
import { removeSessions } from "./remove-sessions.ts";
import { STORE_RECORD } from "./session-rows.ts";

/** Which sessions are removed. */
export interface SweepOptions {
  /** Those without activity for this time. */
  readonly olderThanMs: number;
  /** Whether a session is kept all the same. */
  isKept?(sessionId: string): boolean | Promise<boolean>;
  /** The most sessions that are removed at once, the oldest first. Default: all. */
  readonly limit?: number;
}

const IN_TIME = `coalesce(r.expires_at, r.asked_at + ${REQUEST_LASTS_MS}) > $3`;
const ELSEWHERE = `SELECT FROM unnest(p.waiting) w (key)
          JOIN @.sessions c ON w.key LIKE '/%' AND c.name = split_part(w.key, '/', 2)
          JOIN @.requests r ON r.session = c.id AND r.key = substr(w.key, length(c.name) + 3)`;

/**
 * A session stays while it waits for an answer that can still come, here or in the session of a subagent. So does one
 * that was answered and may yet be resumed.
 */
const OLD = `SELECT s.name, s.period FROM @.sessions s
    WHERE s.active_at < $1 AND s.name <> '${STORE_RECORD}' AND (s.owner IS NULL OR NOT @.is_living(s.owner))
      AND NOT EXISTS (SELECT FROM @.requests r WHERE r.session = s.id AND ${IN_TIME})
      AND NOT EXISTS (
        SELECT FROM @.standing_events p WHERE p.session = s.id AND p.type = 'turn-park' AND (
          EXISTS (${ELSEWHERE} WHERE ${IN_TIME})
          OR s.active_at > $3 - ${REQUEST_LASTS_MS} AND NOT EXISTS (SELECT FROM @.requests r WHERE r.session = s.id)
            AND NOT EXISTS (${ELSEWHERE})))
    ORDER BY s.active_at, s.id LIMIT $2`;

/** Months before this one, with the number of their sessions. */
const PERIODS = `SELECT s.period, count(*)::int AS sessions FROM @.sessions s
    WHERE s.period < to_char(now() AT TIME ZONE 'UTC', 'YYYYMM')::int
      AND to_regclass(format('@.batches_%s', s.period)) IS NOT NULL
    GROUP BY s.period`;

interface OldSession {
  readonly name: string;
  readonly period: number;
}

/**
 * Removes old sessions, the oldest first. One that was changed is evidence: it stays. Where all sessions of a past
 * month go, their events go with the partition of the month.
 */
export async function sweepSessions(
  database: Database,
  { olderThanMs, isKept, limit }: SweepOptions,
): Promise<readonly string[]> {
  const activeBefore = Date.now() - olderThanMs;
  const found = await database.query<OldSession>(OLD, [activeBefore, limit ?? null, Date.now()]);
  const old: OldSession[] = [];
  for (const one of found) {
    const verdict = await checkSession(database, one.name);
    if (verdict?.intact === true && (await isKept?.(one.name)) !== true) old.push(one);
  }
  if (old.length === 0) return [];
  const periods = await database.query<{ readonly period: number; readonly sessions: number }>(PERIODS);
  const wholePeriods = periods
    .filter(({ period, sessions }) => old.filter((one) => one.period === period).length === sessions)
    .map(({ period }) => period);
  const names = old.map(({ name }) => name);
  return removeSessions(database, names, { why: "swept", activeBefore, wholePeriods });
}
