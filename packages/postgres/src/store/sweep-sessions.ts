import type { Database } from "../database/database.ts";
import { checkSession } from "./check-session.ts";
import { removeSessions } from "./remove-sessions.ts";
import { OLD, PERIODS } from "./session-queries.ts";

/** Which sessions are removed. */
export interface SweepOptions {
  /** Those without activity for this time. */
  readonly olderThanMs: number;
  /** Whether a session is kept all the same. */
  isKept?(sessionId: string): boolean | Promise<boolean>;
  /** The most sessions that are removed at once, the oldest first. Default: all. */
  readonly limit?: number;
}

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
