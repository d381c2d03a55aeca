import { statSync } from "node:fs";
import { join } from "node:path";
import { type Config, containFolder, forgetPast, writeOwnedFile } from "@toolkeep/node/internal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { type AuditSettings, auditOf } from "./audit-settings.ts";
import { isHeld } from "./held-sessions.ts";
import { unsentSessions } from "./ship-cursor.ts";

const DAY_MS = 86_400_000;

/** The most sessions that are removed on the way to something else. */
const MOST_AT_ONCE = 50;

/** Removes sessions older than `journal.keepDays`, unless they are held or still to be sent. Returns their ids. */
export async function sweepStore(
  store: SqliteStore,
  { keepDays, hold, sink, format = "jsonl" }: AuditSettings,
  limit?: number,
): Promise<readonly string[]> {
  if (keepDays === undefined) return [];
  const unsent = sink === undefined ? new Set() : await unsentSessions(store, { to: sink, format });
  const swept = await store.sweep({
    olderThanMs: keepDays * DAY_MS,
    isKept: async (sessionId) => unsent.has(sessionId) || (await isHeld(store, sessionId, hold)),
    ...(limit === undefined ? {} : { limit }),
  });
  const [gone, oldest] = [new Set(swept), Date.now() - keepDays * DAY_MS];
  // Files that commands of these sessions changed, as they were and as they are held.
  await forgetPast(containFolder(), ({ sessionId, at }) =>
    sessionId === undefined ? at < oldest : gone.has(sessionId),
  );
  return swept;
}

/** The same at most once a day, for a store that is opened for something else. */
export async function sweepDaily(
  store: SqliteStore,
  config: Pick<Config, "audit" | "journal">,
): Promise<void> {
  if (config.journal.keepDays === undefined) return;
  const note = join(store.path, "swept");
  const sweptAt = statSync(note, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Date.now() - sweptAt < DAY_MS) return;
  await writeOwnedFile(note, `${new Date().toISOString()}\n`);
  await sweepStore(store, auditOf(config), MOST_AT_ONCE);
}
