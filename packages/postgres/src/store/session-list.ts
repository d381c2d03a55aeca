import type { SessionsQuery, StoredSession } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import {
  BY_NAME,
  noSession,
  type RawSessionRow,
  type SessionRow,
  STORE_RECORD,
  toSession,
} from "./session-rows.ts";

const LIST = `WITH living AS MATERIALIZED (SELECT o.id FROM @.owners o WHERE @.is_living(o.id)), listed AS (
      SELECT s.name AS "sessionId", s.opened_at AS "openedAt", s.active_at AS "activeAt", s.calls::float8 AS calls,
        CASE WHEN EXISTS (SELECT FROM @.standing_events e WHERE e.session = s.id AND e.type = 'turn-park') THEN 'parked'
          WHEN s.is_closed THEN 'closed' ELSE 'open' END AS state,
        coalesce(s.owner IN (SELECT l.id FROM living l), false) AS "isInUse", s.id
      FROM @.sessions s WHERE s.next_seq > 0 AND s.name <> '${STORE_RECORD}'
    )
    SELECT l."sessionId", l."openedAt", l."activeAt", l.calls, l.state, l."isInUse",
      ARRAY(SELECT e.key FROM @.standing_events e WHERE e.session = l.id AND e.type = 'turn-start' ORDER BY e.seq)
        AS "unfinishedTurns",
      ARRAY(SELECT r.id FROM @.requests r WHERE r.session = l.id ORDER BY r.seq) AS waiting
    FROM listed l WHERE $1::text IS NULL OR l.state = $1
    ORDER BY l."activeAt" DESC, l.id DESC LIMIT $2`;

/** Latest activity first. */
export function listSessions(
  database: Database,
  { state, limit }: SessionsQuery,
): Promise<readonly StoredSession[]> {
  return database.query<StoredSession>(LIST, [state ?? null, limit ?? null]);
}

/** @throws ToolkeepError `invalid_option` for a session that does not exist. */
export async function existingSession(database: Database, name: string): Promise<SessionRow> {
  const [row] = await database.query<RawSessionRow>(BY_NAME, [name]);
  if (row === undefined) throw noSession(name);
  return toSession(row);
}
