import type { SessionsQuery, StoredSession } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import { LISTED } from "./session-queries.ts";
import { BY_NAME, noSession, type RawSessionRow, type SessionRow, toSession } from "./session-rows.ts";

/** Latest activity first. */
export function listSessions(
  database: Database,
  { state, limit }: SessionsQuery,
): Promise<readonly StoredSession[]> {
  return database.query<StoredSession>(LISTED, [state ?? null, limit ?? null]);
}

/** @throws ToolkeepError `invalid_option` for a session that does not exist. */
export async function existingSession(database: Database, name: string): Promise<SessionRow> {
  const [row] = await database.query<RawSessionRow>(BY_NAME, [name]);
  if (row === undefined) throw noSession(name);
  return toSession(row);
}
